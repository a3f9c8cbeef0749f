#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What documents and comments name is there: files and folders of the tree, and what documents link to.

usage: check-paths.py ROOT      (prints every offence, exits 1 if there is one)

A path counts if it begins with a folder of the tree. '*' and '<name>' stand for anything, as do words in capitals
(queries/NAME.sql)."""
import re
import sys
from pathlib import Path

FOLDERS = ('analyzer', 'bench', 'cli', 'collector', 'common', 'completion', 'dist', 'docs', 'examples', 'importers', 'queries',
           'schema', 'store', 'tests')
DOCUMENTS = ('README.md', 'docs/*.md', 'docs/man/*', 'bench/*.md', 'examples/*/*.md')
SOURCES = ('*.[ch]', '*.py', '*.sh', '*.sql', 'meson.build')
# In sources only what looks like a file: 'tests/s' may be a rate.
SUFFIXES = ('.c', '.h', '.md', '.py', '.sh', '.sql', '.build')

# What the pages make on the way, or what is made when something runs.
MADE = re.compile(r'toolx|folded|failed_calls|seeks|errnos|^collector/(sets|bpf)/signals|^bench/data')

PATH = re.compile(r'(?<![\w./<>$%"{}-])((?:' + '|'.join(FOLDERS) + r')/[\w.*<>/-]*)')
LINK = re.compile(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)')
COMMENT = re.compile(r'/\*.*?\*/|(?:^|\s)(?:#|--) [^\n]*|"""[^"]*"""', re.S)


def exists(root, path):
    """The path may be a pattern."""
    path = re.sub(r'<[^>]*>|\b[A-Z]{3,}\b', '*', path)
    return any(root.glob(path)) if '*' in path else (root / path).exists()


def paths(text):
    """Without the full stop of a sentence that ends there."""
    return [path.rstrip('.-/') for path in PATH.findall(text) if not MADE.search(path)]


def document_offences(root, document):
    text = document.read_text(encoding='utf-8')
    for path in paths(text):
        if not exists(root, path):
            yield f'{document.relative_to(root)}: there is no {path}'
    for link in LINK.findall(text):
        if not (document.parent / link).exists():
            yield f'{document.relative_to(root)}: links to {link}'


def source_offences(root, source):
    for comment in COMMENT.findall(source.read_text(encoding='utf-8', errors='replace')):
        for path in paths(comment):
            if path.endswith(SUFFIXES) and not exists(root, path):
                yield f'{source.relative_to(root)}: there is no {path}'


def sources(root):
    """Without the tests of checks, which plant offences."""
    for folder in FOLDERS:
        for pattern in SOURCES:
            yield from (p for p in (root / folder).rglob(pattern)
                       if 'data' not in p.relative_to(root).parts and not p.name.endswith('-test.sh'))


def main(root):
    root = Path(root)
    offences = [o for pattern in DOCUMENTS for document in sorted(root.glob(pattern)) for o in document_offences(root, document)]
    offences += [o for source in sorted(sources(root)) for o in source_offences(root, source)]
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
