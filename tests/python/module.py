#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python/tracedb.py against the program and SQLite, without and, where it is installed, with pandas.

usage: module.py TRACEDB EXTENSION ROOT"""
import csv
import os
import sqlite3
import subprocess
import sys
import tempfile

program, extension, root = (os.path.abspath(path) for path in sys.argv[1:4])
os.environ.update(TRACEDB=program, TRACEDB_EXTENSION=extension)
sys.path.insert(0, os.path.join(root, 'python'))
HAS_PANDAS = True
try:
    import pandas
except ImportError:
    HAS_PANDAS = False
sys.modules['pandas'] = None    # import fails
import tracedb  # noqa: E402  pylint: disable=wrong-import-position

failed = 0


def check(what, got, want):
    global failed
    if got != want:
        failed += 1
        print(f'{what}: {got!r}, expected {want!r}')


def printed(*argv):
    """What the program prints, as rows of text."""
    done = subprocess.run([program, 'report', '-f', 'csv', *argv], capture_output=True, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def raises(what, error, call):
    try:
        call()
    except error as e:
        return str(e)
    check(what, 'nothing raised', error.__name__)
    return ''


def as_text(rows):
    return [{name: '' if value is None else str(value) for name, value in row.items()} for row in rows]


with tempfile.TemporaryDirectory() as tmp:
    db = os.path.join(tmp, 'a b%20c?.db')   # a name that is no URI
    subprocess.run([program, 'import', '-q', '-o', db, os.path.join(root, 'examples', 'stall', 'run')], check=True)
    run = tracedb.open(db)
    columns = ('file', 'reads', 'read_bytes', 'total_ns')
    for filters, argv in (({}, []), ({'phase': 'epoch 1', 'limit': 3}, ['--phase', 'epoch 1', '--limit', '3']),
                          ({'by': 'template', 'what': 'all', 'pid': None}, ['--by', 'template', '-p', 'what=all'])):
        got = [{name: row[name] for name in columns} for row in as_text(run.report('file_io', **filters))]
        check(f'file_io {filters}', got, [{name: row[name] for name in columns} for row in printed('file_io', *argv, db)])
    check('numbers are numbers', {type(row['reads']) for row in run.report('file_io')}, {int})

    # SQLite itself says how many reads there are; the statement of a report runs where it is, too
    reads = sqlite3.connect(db).execute("SELECT count(*) FROM io_calls WHERE verb = 'read'").fetchone()[0]
    check('frame', run.frame('SELECT count(*) AS n FROM io_calls WHERE verb = :verb', {'verb': 'read'}), [{'n': reads}])
    check('a parameter that is not given', run.frame('SELECT :no AS no', {}), [{'no': None}])
    check('sql', [row['file'] for row in run.frame(run.sql('file_io', limit=2))], [row['file'] for row in printed('file_io', '--limit', '2', db)])

    check('no phase', 'no phase' in raises('phase', tracedb.Error, lambda: run.report('file_io', phase='nothing')), True)
    check('no report', 'nothing' in raises('report', tracedb.Error, lambda: run.report('nothing')), True)
    check('read only', 'readonly' in raises('write', sqlite3.OperationalError, lambda: run.execute('CREATE TABLE t (x)')), True)
    check('no file', 'absent.db' in raises('file', sqlite3.OperationalError, lambda: tracedb.open(os.path.join(tmp, 'absent.db'))), True)
    log = os.path.join(root, 'examples', 'stall', 'run', 'open.out')
    check('a log', 'open.out' in raises('log', sqlite3.DatabaseError, lambda: tracedb.open(log)), True)
    if hasattr(run, 'enable_load_extension'):
        check('extension', run.frame("SELECT calls FROM call_stat WHERE by = 'verb' AND verb = 'read' AND since_ns IS 0"),
              [{'calls': sqlite3.connect(db).execute("SELECT count(*) FROM calls WHERE verb = 'read' AND nested = 0").fetchone()[0]}])

    if HAS_PANDAS:
        sys.modules['pandas'] = pandas
        frame = run.report('file_io')
        check('a frame', type(frame), pandas.DataFrame)
        check('its sum', int(frame.reads.sum()), sum(int(row['reads']) for row in printed('file_io', db)))
        check('notes', any('events lost: 221 in vfs_rw.out' in note for note in frame.attrs['notes']), True)
        check('read_sql', int(pandas.read_sql('SELECT count(*) AS n FROM phases', run).n[0]),
              sqlite3.connect(db).execute('SELECT count(*) FROM phases').fetchone()[0])
sys.exit(failed > 0)
