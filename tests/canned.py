#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What 'tracedb report --sql' prints runs in Python as it is and gives the rows of the report; so does the file of queries/ with None
for every parameter. With pandas, where that is installed, by its read_sql().

usage: canned.py TRACEDB ROOT      by $TRACEDB_PLAIN, the program without sanitizers, where there is one"""
import collections
import csv
import io
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pandas
except ImportError:
    pandas = None

# They ask for statistics that the file does not hold: tracedb looks at the calls, the sqlite3 module needs the extension for it.
LOOK_AT_CALLS = ('open_storm', 'small_io')
ARGUMENTS = {'around': ['--at', '20s']}
NOTHING_THERE = 3  # exit status


def run(tracedb, *arguments):
    return subprocess.run([tracedb, 'report', *arguments], capture_output=True, text=True, check=False)


def same(value, text):
    """Is the value of a column what csv says?"""
    if value is None or text == '':
        return text == '' and value in (None, '')
    if isinstance(value, str):
        return value == text
    return math.isclose(value, float(text), rel_tol=1e-12)


def difference(columns, rows, want):
    """In words, or None."""
    header, *wanted = want
    if columns != header:
        return f'columns {columns} instead of {header}'
    if len(rows) != len(wanted):
        return f'{len(rows)} rows instead of {len(wanted)}'
    for row, fields in zip(rows, wanted):
        if not all(map(same, row, fields)):
            return f'{row} instead of {fields}'
    return None


def offences(db, tracedb, path, file, *more):
    report = file.stem
    arguments = [*ARGUMENTS.get(report, []), *more]
    printed = run(tracedb, report, '-f', 'csv', path, *arguments)
    want = list(csv.reader(io.StringIO(printed.stdout)))
    sql = run(tracedb, '--sql', report, path, *arguments).stdout
    ways = [('--sql', sql, ())]
    if not arguments:
        ways.append(('the file', file.read_text(encoding='utf-8'), collections.defaultdict(lambda: None)))
    for way, text, values in ways:
        cursor = db.execute(text, values)
        columns, rows = [column[0] for column in cursor.description], cursor.fetchall()
        if printed.returncode == NOTHING_THERE or report in LOOK_AT_CALLS:
            want, rows = want[:1], []
        found = difference(columns, rows, want)
        if found:
            yield f'{report}, {way}: {found}'
    if pandas and list(pandas.read_sql(sql, db).columns) != want[0]:
        yield f'{report}: other columns in pandas'


def main():
    tracedb, root = Path(os.environ.get('TRACEDB_PLAIN', sys.argv[1])).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp, 'stall.db')
        subprocess.run([tracedb, 'import', '-q', '-o', path, root / 'examples/stall/run'], check=True)
        db = sqlite3.connect(path)
        files = sorted((root / 'queries').glob('*.sql'))
        found = [line for file in files for line in offences(db, tracedb, path, file)]
        # as if there were very many files
        db.execute("INSERT INTO file (id, name, class, class_known, template_id, truncated) SELECT 100000, 'x', 'regular', 0, min(id), 0 FROM string")
        db.commit()
        found += offences(db, tracedb, path, root / 'queries/file_io.sql', '--limit', '3')
        db.close()
    for line in found or [f'{len(files)} reports, {"with" if pandas else "without"} pandas']:
        print(line)
    sys.exit(1 if found else 0)


main()
