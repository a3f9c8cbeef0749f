#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what the pages docs/HOWTO-*.md do, exactly as they print it, and runs what they run.

usage: howto.py ROOT BUILD COMPILER...      (COMPILER: the command that BUILD uses)

Every code block of a page counts. The path in backticks before a block says of which file it is (without one: of the
file before): a diff changes that file, a console block is typed and its output compared, any other block is the
file. The tree is not touched: this happens in an overlay of it, with links to all that is not on a page. There the
build is configured, but only files of the pages are compiled; what else a program is linked with is BUILD's."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ('docs/HOWTO-importer.md', 'docs/HOWTO-exporter.md', 'docs/HOWTO-report.md', 'docs/HOWTO-rule.md')
BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)
PATH = re.compile(r'`([\w./-]+/[\w.-]+\.\w+)`')

# What shows that it works.
PROGRAMS = ('cli/tracedb', 'tests/test-toolx', 'tests/property/sniff', 'tests/fuzz/replay-toolx')


def blocks(page):
    """(language, path, text) of each code block."""
    path, end = None, 0
    for block in BLOCK.finditer(page):
        named = PATH.findall(page[end:block.start()])
        path, end = named[-1] if named else path, block.end()
        yield block[1], path, block[2]


class Overlay:
    """A tree of links to another one, in which files can be replaced."""

    def __init__(self, root, at):
        self.root, self.at = root, at
        self.link_entries(root, at)

    @staticmethod
    def link_entries(folder, at):
        at.mkdir()
        for entry in folder.iterdir():
            if entry.name != '.git' and not (entry / 'build.ninja').exists():
                (at / entry.name).symlink_to(entry)

    def read(self, path):
        return (self.at / path).read_text(encoding='utf-8')

    def write(self, path, text):
        """Makes folders of the links on the way to the file."""
        at, folder = self.at, self.root
        for part in Path(path).parts[:-1]:
            at, folder = at / part, folder / part
            if at.is_symlink():
                at.unlink()
                self.link_entries(folder, at)
            elif not at.exists():
                at.mkdir()
        target = self.at / path
        if target.is_symlink():
            target.unlink()
        target.write_text(text, encoding='utf-8')

    def patch(self, page, path, diff):
        """The lines of the diff that are in the file already must stand in it once, next to each other."""
        lines = diff.splitlines(keepends=True)
        before = ''.join(line[1:] for line in lines if line[0] in ' -')
        after = ''.join(line[1:] for line in lines if line[0] in ' +')
        text = self.read(path)
        if ('\n' + text).count('\n' + before) != 1:
            sys.exit(f'{page}: {path} has not once:\n{before}')
        self.write(path, ('\n' + text).replace('\n' + before, '\n' + after)[1:])


def run(command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **how)
    if done.returncode != 0:
        sys.exit(f'{shlex.join(map(str, command))}: exit {done.returncode}\n{done.stdout}')
    return done.stdout


class Build:
    """Of the overlay, with all that is not on a page taken from another build folder."""

    def __init__(self, overlay, folder, other, compiler):
        self.overlay, self.folder, self.other = overlay, folder, other
        options = folder.parent / 'options.ini'
        options.write_text(self.options(other), encoding='utf-8')
        run(['meson', 'setup', folder, overlay.at, '--native-file', options],
            env=os.environ | {'CC': shlex.join(compiler)})
        self.changed = self.changed_objects()

    @staticmethod
    def options(other):
        """Those of the other build: what was built with a sanitizer links with nothing that was not."""
        have = json.loads((other / 'meson-info/intro-buildoptions.json').read_text(encoding='utf-8'))
        keep = [o for o in have if o['name'] in ('buildtype', 'debug', 'optimization', 'werror', 'c_args', 'c_link_args')
                or o['section'] == 'base']
        text = '[built-in options]\n'
        for option in keep:
            value = option['value']
            text += f"{option['name']} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n"
        return text + "[project options]\ntests = true\ncollector = 'disabled'\n"

    def is_changed(self, source):
        """Is it a page's, not a link, and not behind one?"""
        path = Path(os.path.abspath(self.folder / source))
        return path.is_relative_to(self.overlay.at) and path == path.resolve()

    def changed_objects(self):
        commands = json.loads((self.folder / 'compile_commands.json').read_text(encoding='utf-8'))
        return {c['output'] for c in commands if self.is_changed(c['file'])}

    def in_libraries(self, words):
        """What has changed in libraries that the other build has, too: linked first, it is what counts."""
        libraries = [w for w in words if w.endswith('.a') and (self.other / w).exists()]
        return [o for o in sorted(self.changed) if o.split('.p/')[0] in libraries]

    def made(self, words):
        """What of the words of a command is to be made here."""
        return [w for w in words if w.endswith(('.o', '.a')) and not w.startswith('/')
                and (w in self.changed or not (self.other / w).exists())]

    def link(self, program):
        """By the build's own command, with what is not made here from the other build."""
        words = shlex.split(run(['ninja', '-C', self.folder, '-t', 'commands', program]).splitlines()[-1])
        first = next(i for i, word in enumerate(words) if word.endswith('.o'))
        words[first:first] = self.in_libraries(words)
        made = self.made(words)
        run(['ninja', '-C', self.folder, *made])
        run([str(self.other / w) if w.endswith(('.o', '.a')) and w not in made else w for w in words], cwd=self.folder)
        return self.folder / program


def type_in(console, overlay, tracedb):
    """Runs the commands of a console block and compares what they print."""
    path = f"{tracedb.parent}:{os.environ['PATH']}"
    for command, want in re.findall(r'^\$ (.*)\n((?:[^$].*\n)*)', console, re.M):
        done = subprocess.run(['sh', '-c', command], cwd=overlay.at, env=os.environ | {'PATH': path},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 or done.stdout != want:
            sys.exit(f'{command}\n--- exit {done.returncode}, prints\n{done.stdout}{done.stderr}'
                     f'--- but the page says\n{want}')


def follow(page, overlay):
    """Makes and changes the page's files; returns its console blocks."""
    consoles = []
    for language, path, text in blocks(overlay.read(page)):
        if language == 'console':
            consoles.append(text)
        elif language == 'diff':
            overlay.patch(page, path, text)
        else:
            overlay.write(path, text)
    return consoles


def main(root, other, *compiler):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        overlay = Overlay(Path(root), scratch / 'tree')
        consoles = [console for page in PAGES for console in follow(page, overlay)]
        build = Build(overlay, scratch / 'build', Path(other), compiler)
        tracedb, unit, sniff, replay = (build.link(program) for program in PROGRAMS)
        run([unit])
        run([sniff, overlay.at, build.other / 'tests/fuzz/nsys-seeds'])
        run([replay, overlay.at / 'tests/data/toolx'])
        for console in consoles:
            type_in(console, overlay, tracedb)
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
