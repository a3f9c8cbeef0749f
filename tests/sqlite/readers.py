#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other SQLites make of files from the b-tree writer: Python's, and the newest one that npm brings.

usage: readers.py TEST_BTREE_VALUES python
       readers.py TEST_BTREE_VALUES newest MODULES   (newest.mjs, with sql.js in the folder MODULES)

The test program writes pairs of databases, N-btree.db and N-sql.db, of the same random rows; the second
by SQLite. Both must read the same, integrity_check must find nothing, and the first must go on to work:
INSERT, UPDATE, DELETE, CREATE INDEX, ANALYZE, VACUUM. Exit 77 (skipped) where there is no node or no
sql.js."""
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = 24
SKIP = 77


def tables(db):
    return [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]


def content(db, table):
    """Every row with its rowid, texts as bytes: they need not be UTF-8."""
    return db.execute(f'SELECT _rowid_, * FROM {table} ORDER BY _rowid_').fetchall()


def findings(db):
    found = [row for row in db.execute('PRAGMA integrity_check') if row != (b'ok',)]
    return found + db.execute('PRAGMA foreign_key_check').fetchall()


def compare(name, ours, theirs):
    """Prints the differences, returns how many rows were compared."""
    rows = 0
    if tables(ours) != tables(theirs):
        sys.exit(f'{name}: tables {tables(ours)}, want {tables(theirs)}')
    for table in tables(theirs):
        got, want = content(ours, table.decode()), content(theirs, table.decode())
        if repr(got) != repr(want):
            sys.exit(f'{name}: table {table.decode()} has other rows')
        rows += len(got)
    if findings(ours):
        sys.exit(f'{name}: {findings(ours)}')
    return rows


def go_on(name, db):
    for table in (table.decode() for table in tables(db)):
        before = db.execute(f'SELECT count(*) FROM {table}').fetchone()[0]
        gone = db.execute(f'DELETE FROM {table} WHERE _rowid_ % 3 = 0').rowcount
        db.execute(f'CREATE INDEX {table}_c0 ON {table} (c0)')
        db.execute(f'CREATE TABLE copy_{table} AS SELECT * FROM {table}')
        db.execute(f'UPDATE copy_{table} SET c0 = randomblob(20000) WHERE _rowid_ % 2 = 0')
        after = db.execute(f'SELECT count(*) FROM {table} NOT INDEXED').fetchone()[0]
        if after != before - gone:
            sys.exit(f'{name}: {table}: {before} rows, {gone} deleted, {after} left')
    db.commit()
    db.execute('ANALYZE')
    db.execute('VACUUM')
    found = [row for row in db.execute('PRAGMA integrity_check') if row != (b'ok',)]
    if found:
        sys.exit(f'{name}: after changes: {found}')


def connect(path):
    db = sqlite3.connect(path)
    db.text_factory = bytes
    db.execute('PRAGMA synchronous = OFF')
    return db


def by_python(folder):
    rows = 0
    for n in range(1, PAIRS + 1):
        ours, theirs = (connect(folder / f'{n}-{writer}.db') for writer in ('btree', 'sql'))
        rows += compare(f'pair {n}', ours, theirs)
        go_on(f'pair {n}', ours)
        ours.close()
        theirs.close()
    print(f"Python's SQLite {sqlite3.sqlite_version}: {rows} rows in {PAIRS} pairs")


def by_newest(folder, modules):
    if not shutil.which('node'):
        print('node is not installed', file=sys.stderr)
        return SKIP
    if not (modules / 'sql.js').is_dir():
        print(f'no sql.js in {modules}: npm install --prefix {modules.parent} sql.js', file=sys.stderr)
        return SKIP
    script = Path(__file__).with_name('newest.mjs')
    return subprocess.run(['node', script, modules, folder, str(PAIRS)], check=False).returncode


def main(program, reader, modules=None):
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        subprocess.run([program, 'write', scratch, str(PAIRS)], check=True)
        if reader == 'newest':
            return by_newest(Path(scratch), Path(modules))
        return by_python(Path(scratch))


sys.exit(main(*sys.argv[1:]))
