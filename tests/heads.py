#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the heads of reports say, for tests that have no program yet: analyzer/report_file.h has the grammar, queries/vocabulary.txt the words.

usage: heads.py FOLDER QUERIES NAME...     writes FOLDER/NAME.params and FOLDER/NAME.columns for each QUERIES/NAME.sql: a name a line"""
import re
import sys
from pathlib import Path

VOCABULARY = Path(__file__).resolve().parents[1] / 'queries' / 'vocabulary.txt'
PARAM = re.compile(r'^param (\w+) (\w+) ', re.MULTILINE)
COLUMN = re.compile(r'^column (\w+) (\w+) (.*)$', re.MULTILINE)


class Vocabulary:
    def __init__(self, text):
        self.filters = {}  # name -> names of parameters
        for name, param in PARAM.findall(text):
            self.filters.setdefault(name, []).append(param)
        self.columns = {name: (unit, said) for name, unit, said in COLUMN.findall(text)}


def vocabulary(path=VOCABULARY):
    return Vocabulary(path.read_text(encoding='utf-8'))


def listed(sql, key):
    """The words of all lines of the key, separated by commas."""
    return [word.strip() for line in re.findall(rf'^-- {key}: *(.*)$', sql, re.MULTILINE) for word in line.split(',')]


def params(sql, words):
    """Names, in the order of the head."""
    found = []
    for key, said in re.findall(r'^-- (param|filters): *(.*)$', sql, re.MULTILINE):
        if key == 'param':
            found.append(said.split()[0])
        else:
            for name in said.split(','):
                found += words.filters[name.split()[0]]
    return list(dict.fromkeys(found))


def own_columns(sql):
    """name -> (unit, what it means) of those that have a line of their own."""
    return {name: (unit, said) for name, unit, said in re.findall(r'^-- column: (\w+) (\w+) ?(.*)$', sql, re.MULTILINE)}


def columns(sql, words):
    """(name, unit), in the order of the head."""
    own = own_columns(sql)
    names = dict.fromkeys([*listed(sql, 'columns'), *own])
    return [(name, own[name][0] if name in own else words.columns[name][0]) for name in names]


def main(folder, queries, names):
    words = vocabulary()
    for name in names:
        sql = (queries / f'{name}.sql').read_text(encoding='utf-8')
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        for kind, found in (('params', params(sql, words)), ('columns', [column for column, _ in columns(sql, words)])):
            (folder / f'{name}.{kind}').write_text(''.join(f'{one}\n' for one in found), encoding='utf-8')


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
