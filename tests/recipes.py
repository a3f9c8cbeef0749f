#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes of docs/schema-notes.md: each runs in Python's sqlite3 as it is, on the example run or, what is about kernels and ranges, on
an export of Nsight Systems, and prints what recipes.csv has. Each must have a row.

usage: recipes.py TRACEDB ROOT             prints the differences, exits 1 if there are any
       recipes.py --update TRACEDB ROOT    writes recipes.csv"""
import csv
import difflib
import io
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

RECIPE = re.compile(r'^([^\n]+):\n\n```sql\n(.*?)^```$', re.M | re.S)
OF_GPU = re.compile(r'\bkernels AS k\b|FROM kernels\b')
FEWEST = 15


def make(tmp, tracedb, root):
    """The two databases."""
    stall, gpu, export = (Path(tmp, name) for name in ('stall.db', 'gpu.db', 'run.sqlite'))
    subprocess.run([tracedb, 'import', '-q', '-o', stall, root / 'examples/stall/run'], check=True)
    source = sqlite3.connect(export)
    source.executescript((root / 'tests/data/nsys/schema-3.sql').read_text(encoding='utf-8'))
    source.close()
    subprocess.run([tracedb, 'import', '-q', '-o', gpu, export], check=True)
    return sqlite3.connect(stall), sqlite3.connect(gpu)


def answers(recipes, stall, gpu):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator='\n')
    for title, sql in recipes:
        cursor = (gpu if OF_GPU.search(sql) else stall).execute(sql)
        rows = cursor.fetchall()
        if not rows and 'error IS NOT NULL' not in sql:  # none of these calls failed
            sys.exit(f'{title}: no row')
        out.write(f'# {title}\n')
        writer.writerow([column[0] for column in cursor.description])
        writer.writerows(tuple(f'{value:.9g}' if isinstance(value, float) else value for value in row) for row in rows)
    return out.getvalue()


def main(arguments):
    update = arguments[:1] == ['--update']
    tracedb, root = (Path(argument).resolve() for argument in arguments[update:])
    recipes = RECIPE.findall((root / 'docs/schema-notes.md').read_text(encoding='utf-8'))
    if len(recipes) < FEWEST:
        sys.exit(f'{len(recipes)} recipes, there have to be {FEWEST}')
    with tempfile.TemporaryDirectory() as tmp:
        databases = make(tmp, tracedb, root)
        got = answers(recipes, *databases)
        for db in databases:
            db.close()
    wanted = root / 'tests/recipes.csv'
    if update:
        wanted.write_text(got, encoding='utf-8')
        return 0
    want = wanted.read_text(encoding='utf-8')
    sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), got.splitlines(True), 'recipes.csv', 'got'))
    return want != got


sys.exit(main(sys.argv[1:]))
