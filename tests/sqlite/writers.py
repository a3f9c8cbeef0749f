#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Both row writers must make the same database of everything that can be imported, and any number of threads the same file.

usage: writers.py TRACEDB FOLDER...      each folder becomes a database twice, and another by --append
       writers.py TRACEDB corpus         the run folders of $TRACEDB_CORPUS; exit 77 (skipped) without; by $TRACEDB_PLAIN,
                                         if that is set: the program without sanitizers; these being large, only one is
                                         appended to, and by one thread and eight

By the program in $TRACEDB_PLAIN are the imports with other numbers of threads, too: it is to write what TRACEDB wrote. What was
allocated and not written is another byte in the first import than in those that are compared with it."""
import filecmp
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

WRITERS = ('btree', 'sqlite')
# Besides so many as it takes when it is not told: one for each CPU, up to 8.
THREADS = [str(n) for n in (1, 2, 3, 8) if n != min(8, len(os.sched_getaffinity(0)))]
failures = 0


def failed(message):
    global failures
    failures += 1
    print(f'FAILED {message}')


def run(tracedb, writer, *arguments, filled='0'):
    """filled: what the C library fills what it allocates with (the complement of it), 0: nothing."""
    done = subprocess.run([tracedb, 'import', '-q', *arguments], capture_output=True, text=True,
                          env=os.environ | {'TRACEDB_WRITER': writer, 'MALLOC_PERTURB_': filled}, check=False)
    return done.returncode, done.stderr


def check_sound(name, db):
    for pragma, want in (('integrity_check', [('ok',)]), ('foreign_key_check', [])):
        got = db.execute(f'PRAGMA {pragma}').fetchall()
        if got != want:
            failed(f'{name}: {pragma}: {got[:3]}')


def same_content(paths):
    """By the sqlite3 shell, faster than rows in Python: a hash of all tables, with types, in the order of their rows, and of the
    schema."""
    hashes = [subprocess.run(['sqlite3', '-readonly', path, '.sha3sum --schema', '.sha3sum'], capture_output=True, text=True,
                             check=True).stdout for path in paths]
    return hashes[0] == hashes[1] and len(hashes[0].split()) == 2


def compare(name, paths):
    """Every table, row by row in the order in which it lies there; returns the number of rows."""
    btree, sqlite = (sqlite3.connect(f'file:{path}?mode=ro', uri=True) for path in paths)
    rows, same = 0, same_content(paths)
    for writer, db in zip(WRITERS, (btree, sqlite)):
        check_sound(f'{name}, {writer}', db)
    schemas = [db.execute('SELECT type, name, sql FROM sqlite_schema ORDER BY rowid').fetchall() for db in (btree, sqlite)]
    if schemas[0] != schemas[1]:
        failed(f'{name}: the schemas differ')
    for kind, table, _ in schemas[1]:
        if kind != 'table':
            continue
        if not same:
            got, want = (repr(db.execute(f'SELECT * FROM {table}').fetchall()) for db in (btree, sqlite))
            if got != want:
                failed(f'{name}: table {table} differs')
        rows += sqlite.execute(f'SELECT count(*) FROM {table}').fetchone()[0]
    if not same and not failures:
        failed(f'{name}: the contents differ')
    for db in (btree, sqlite):
        db.close()
    return rows


def import_folder(tracedb, folder, scratch):
    """Returns the paths of the databases; None: there was nothing to import."""
    once = [scratch / writer / f'{folder.name}.db' for writer in WRITERS]
    done = [run(tracedb, writer, folder, '-o', path, filled=filled) for writer, path, filled in zip(WRITERS, once, ('165', '0'))]
    if done[0][0] != done[1][0] or done[0][1].replace(str(once[0]), str(once[1])) != done[1][1]:
        failed(f'{folder.name}: {done[0]} and {done[1]}')
    return once if all(path.exists() for path in once) else None


def same_by_threads(tracedb, folder, path, numbers):
    tracedb = os.environ.get('TRACEDB_PLAIN', tracedb)
    for threads in numbers:
        other = path.parent / threads / path.name
        other.parent.mkdir(exist_ok=True)
        run(tracedb, 'btree', '--threads', threads, folder, '-o', other)
        if not filecmp.cmp(path, other, shallow=False):
            failed(f'{folder.name}: another file by {threads} threads')
        other.unlink()


def appended(tracedb, folder, paths):
    for writer, path in zip(WRITERS, paths):
        status, messages = run(tracedb, writer, '--append', folder, '-o', path)
        if status not in (0, 4):
            failed(f'{folder.name}: appended by {writer}: exit {status}: {messages}')


def main(tracedb, *folders):
    numbers, appended_to = THREADS, len(folders)
    if folders == ('corpus',):
        if 'TRACEDB_CORPUS' not in os.environ:
            print('TRACEDB_CORPUS is not set')
            return 77
        folders = sorted((Path(os.environ['TRACEDB_CORPUS']) / 'runs').iterdir())
        tracedb = os.environ.get('TRACEDB_PLAIN', tracedb)
        numbers, appended_to = (THREADS[0], THREADS[-1]), 1
    folders = [Path(folder) for folder in folders]
    databases = appends = rows = 0
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        for writer in WRITERS:
            (Path(scratch) / writer).mkdir()
        for i, folder in enumerate(folders):
            paths = import_folder(Path(tracedb).resolve(), folder, Path(scratch))
            if not paths:
                continue
            databases += 1
            rows += compare(folder.name, paths)
            same_by_threads(Path(tracedb).resolve(), folder, paths[0], numbers)
            if i < appended_to:
                appends += 1
                appended(Path(tracedb).resolve(), folders[i - 1], paths)
                rows += compare(f'{folder.name} + {folders[i - 1].name}', paths)
            for path in paths:
                path.unlink()
    print(f'{len(folders)} folders, {databases} databases, {appends} appended to, {rows} rows, {failures} failed')
    return 1 if failures or not databases else 0


sys.exit(main(*sys.argv[1:]))
