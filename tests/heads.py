# SPDX-License-Identifier: MIT
"""What the heads of reports say, for tests that have no program yet: analyzer/report_file.h has the grammar, queries/vocabulary.txt the words."""
import re
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
