#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/SCHEMA.md from schema/*.sql and docs/schema-notes.md.

usage: schema.py [--check]     --check: compare with what is there instead of writing

Every table, view and column must carry a comment; the columns found here are compared with those
that SQLite itself makes of the files."""
import re
import sqlite3
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / 'docs' / 'SCHEMA.md'
FILES = (('tables.sql', 'What was imported'), ('derived.sql', 'Derived tables'), ('views.sql', 'Views'))

CREATE = re.compile(r'CREATE (TABLE|VIEW) (\w+)')
COLUMN = re.compile(r'\s+(\w+) (INTEGER|REAL|TEXT|BLOB)\b([^-]*?),?\s*-- (.*)')
VIEW_COLUMN = re.compile(r'\s+(.+?),?\s*-- (.*)')
CHECK = re.compile(r'CHECK \(\w+ IN \((.*?)\)\)')
REFERENCE = re.compile(r'REFERENCES (\w+) \((\w+)\)')


@dataclass
class Column:
    name: str
    type: str
    null: str
    meaning: str
    refers: tuple = ()


@dataclass
class Relation:
    kind: str
    name: str
    about: str
    columns: list = field(default_factory=list)


def table_column(line):
    found = COLUMN.match(line)
    if not found:
        return None
    name, kind, rest, meaning = found.groups()
    reference = REFERENCE.search(rest)
    allowed = CHECK.search(rest)
    if allowed:
        meaning = f'{meaning} (one of {allowed[1]})'
    null = '' if 'NOT NULL' in rest or 'PRIMARY KEY' in rest else 'yes'
    return Column(name, kind, null, meaning, reference.groups() if reference else ())


def view_column(line):
    found = VIEW_COLUMN.match(line)
    if not found:
        return None
    expression, meaning = found.groups()
    name = re.split(r' AS |\.', expression)[-1]
    return Column(name, '', '', meaning)


def read_relations(text):
    """The relations of one file, in order."""
    relations, comment, current = [], [], None
    for line in text.splitlines():
        created = CREATE.match(line)
        if line.startswith('--'):
            comment.append(line[2:].strip())
        elif created:
            if not comment:
                sys.exit(f'{created[2]}: no comment before it')
            current = Relation(created[1], created[2], ' '.join(comment))
            relations.append(current)
            comment = []
        elif line.startswith((')', 'FROM')):
            current = None
        elif current:
            column = (table_column if current.kind == 'TABLE' else view_column)(line)
            if column:
                current.columns.append(column)
        elif not line.strip():
            comment = []  # that was the introduction of the file
    return relations


def compare_with_sqlite(relations):
    db = sqlite3.connect(':memory:')
    for name, _ in FILES:
        db.executescript((ROOT / 'schema' / name).read_text(encoding='utf-8'))
    real = {name: [row[1] for row in db.execute(f'PRAGMA table_info({name})')]
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
    for relation in relations:
        names = [column.name for column in relation.columns]
        if names != real.pop(relation.name):
            sys.exit(f'{relation.name}: a column has no comment, or one that was not understood')
    if real:
        sys.exit(f'not documented: {", ".join(real)}')


def cell(text):
    return text.replace('|', '\\|')


def table_lines(relation):
    yield f'### {relation.name}\n'
    yield f'{relation.about}\n'
    if relation.kind == 'VIEW':
        yield '| column | meaning |'
        yield '|---|---|'
        for column in relation.columns:
            yield f'| `{column.name}` | {cell(column.meaning)} |'
    else:
        yield '| column | type | null | meaning |'
        yield '|---|---|---|---|'
        for column in relation.columns:
            arrow = f' (→ [{column.refers[0]}](#{column.refers[0]}))' if column.refers else ''
            yield f'| `{column.name}` | {column.type} | {column.null} | {cell(column.meaning)}{arrow} |'
    yield ''


def diagram_lines(relations):
    """Who refers to whom. The string and source tables are left out: nearly everything refers to them."""
    yield '```mermaid'
    yield 'erDiagram'
    for relation in relations:
        for column in relation.columns:
            if column.refers and column.refers[0] not in ('string', 'source'):
                zero = 'o|' if column.null else '||'
                yield f'    {column.refers[0]} {zero}--o{{ {relation.name} : {column.name}'
    yield '```'


def document():
    parsed = [(title, name, read_relations((ROOT / 'schema' / name).read_text(encoding='utf-8')))
              for name, title in FILES]
    everything = [relation for _, _, relations in parsed for relation in relations]
    compare_with_sqlite(everything)
    lines = ['# The database', '',
             '<!-- made by docs/schema.py from schema/*.sql and docs/schema-notes.md: edit those -->', '',
             (ROOT / 'docs' / 'schema-notes.md').read_text(encoding='utf-8').rstrip(), '',
             '## Who refers to whom', '',
             'Left out: nearly every table refers to `source` (where a row was read), and text that '
             'repeats is in `string`.', '',
             *diagram_lines(parsed[0][-1]), '']
    for title, name, relations in parsed:
        lines += [f'## {title}', '', f'From `schema/{name}`.', '']
        for relation in relations:
            lines += table_lines(relation)
    return '\n'.join(lines).rstrip() + '\n'


def main():
    text = document()
    if sys.argv[1:] != ['--check']:
        TARGET.write_text(text, encoding='utf-8')
    elif TARGET.read_text(encoding='utf-8') != text:
        sys.exit('docs/SCHEMA.md is out of date: run python3 docs/schema.py')


main()
