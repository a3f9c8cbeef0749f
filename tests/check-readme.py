#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that README.md or another page shows and compares what they print with what stands there.

usage: check-readme.py ROOT TRACEDB [PAGE]            prints the differences, exits 1 if there are any
       check-readme.py --update ROOT TRACEDB [PAGE]   writes what they print into the page

A command is a line '$ ...' of a code block without a language; all run in one scratch folder, in their order. Of a
table columns may be left out, where its header and rows have '...' for them; all else is the same to the blank.
--update keeps the choice of columns. Another page than README.md is held against $TRACEDB_PLAIN, the program without sanitizers,
where there is one."""
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r'^```(\w*)\n(.*?)^```$', re.M | re.S)
COMMAND = re.compile(r'^\$ (.*)\n((?:(?!\$ ).*\n)*)', re.M)
CELLS = re.compile(r'\S+(?: \S+)*')


def cells(line):
    return CELLS.findall(line)


def is_rule(line):
    return line != '' and set(line) <= {'-', ' '}


def without_columns(shown, lines):
    """The table in lines with the columns that it has in shown; '...' where some are left out."""
    headers = [line for line in shown if '...' in cells(line)[1:]]
    rule = next((i for i, line in enumerate(lines) if is_rule(line)), 0)
    if not headers or not rule:
        return lines
    spans = [m.span() for m in re.finditer(r'-+', lines[rule])]
    names = [lines[rule - 1][a:b].strip() for a, b in spans]
    wanted = [(names.index(name), name) for name in cells(headers[0]) if name in names]
    projected = []
    for i, line in enumerate(lines):
        if i < rule - 1 or not line or len(line) < spans[-1][0]:
            projected.append(line)
            continue
        parts, last = [], -1
        for column, _ in wanted:
            if column > last + 1:
                parts.append('---' if i == rule else '...')
            parts.append(line[slice(*spans[column])].ljust(spans[column][1] - spans[column][0]))
            last = column
        projected.append('  '.join(parts).rstrip())
    return projected


def rendered(shown, printed):
    lines = [line.rstrip() for line in printed.rstrip('\n').split('\n')]
    return '\n'.join(without_columns(shown.split('\n'), lines))


def run(command, folder):
    environment = {**os.environ, 'LC_ALL': 'C', 'TZ': 'UTC0',
                   'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    done = subprocess.run(['sh', '-c', command], cwd=folder, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def regenerated(text, root, tracedb):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, 'bin').mkdir()
        Path(folder, 'bin', 'tracedb').symlink_to(tracedb)
        for name in ('examples', 'tests', 'queries'):
            Path(folder, name).symlink_to(root / name)

        def command(m):
            blank = '\n' if m[2].endswith('\n\n') else ''
            printed = rendered(m[2], run(m[1], folder))
            return f'$ {m[1]}\n' + (f'{printed}\n{blank}' if printed else '')

        return BLOCK.sub(lambda block: block[0] if block[1] else f'```\n{COMMAND.sub(command, block[2])}```', text)


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ['--update']
    root, tracedb = (Path(argument).resolve() for argument in arguments[update:update + 2])
    page = (arguments[update + 2:] or ['README.md'])[0]
    if page != 'README.md' and not update:
        tracedb = Path(os.environ.get('TRACEDB_PLAIN', tracedb)).resolve()
    readme = root / page
    text = readme.read_text(encoding='utf-8')
    truth = regenerated(text, root, tracedb)
    if update:
        readme.write_text(truth, encoding='utf-8')
        return 0
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), truth.splitlines(True), page, 'what is printed'))
    if not any(COMMAND.search(block) for language, block in BLOCK.findall(text) if not language):
        print(f'{page} shows no command')
        return 1
    return text != truth


if __name__ == '__main__':
    sys.exit(main())
