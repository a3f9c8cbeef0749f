# SPDX-License-Identifier: MIT
"""Databases of tracedb in Python: sqlite3, and reports as data frames.

    import tracedb
    run = tracedb.open('run1.db')
    run.report('file_io', phase='epoch 1', limit=10)        # a pandas.DataFrame, or a list of dicts without pandas
    run.frame('SELECT op, count(*) AS calls FROM calls GROUP BY op')
    pandas.read_sql('SELECT * FROM phases', run)            # it is a sqlite3.Connection

Needs nothing but the standard library and, for reports, the program tracedb: the one of $TRACEDB, of the installation or build that
this file belongs to, or in $PATH."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

# Filters of 'tracedb report' that have an option of their own; others are parameters of the report.
OPTIONS = ('at', 'by', 'filter_time', 'limit', 'phase', 'pid', 'process', 'run', 'timeout', 'width')


class Error(Exception):
    """What tracedb has to say against a question: no such report, no such phase, no data for it."""


def _beside(*paths):
    """The first of the paths below a folder above this file that is there."""
    for folder in pathlib.Path(__file__).resolve().parents:
        for path in paths:
            for found in sorted(folder.glob(path)):
                if found.is_file():
                    return str(found)
    return None


def program():
    """The path of tracedb."""
    found = os.environ.get('TRACEDB') or _beside('bin/tracedb', 'build/cli/tracedb') or shutil.which('tracedb')
    if not found:
        raise Error('the program tracedb is not installed: put it into $PATH, or its path into $TRACEDB')
    return found


def extension():
    """The path of tracedb.so, with which call_stat and io_stat answer any question (docs/SCHEMA.md); None if it is not there."""
    return os.environ.get('TRACEDB_EXTENSION') or _beside('lib/*/tracedb/tracedb.so', 'lib/tracedb/tracedb.so',
                                                          'build/analyzer/scan/tracedb.so')


def _table(rows, columns=None, **attrs):
    """As a DataFrame if there is pandas; what is said of the rows is in its attrs."""
    try:
        import pandas
    except ImportError:
        return rows
    frame = pandas.DataFrame(rows, columns=columns)
    frame.attrs.update(attrs)
    return frame


class Run(sqlite3.Connection):
    """A database of tracedb, which is only read."""

    path = None

    def report(self, name, **filters):
        """The rows of a report, as 'tracedb report --list' names them, with columns and units as 'tracedb report NAME --help'
        has them. Filters are its options and parameters: phase='epoch 1', filter_time='10s/20s', limit=5. What has to be known of the
        rows (events that are missing, clocks that are off) is in frame.attrs['notes']. Error if there is no answer."""
        rows, notes = self._ask(['-f', 'json'], name, filters)
        return _table(json.loads(rows), notes=notes)

    def sql(self, name, **filters):
        """The statement of a report, with its parameters filled in."""
        return self._ask(['--sql'], name, filters)[0]

    def frame(self, sql, params=()):
        """The rows of any statement, as report() has them. A parameter that is not given is NULL, which is its default in the
        statements of reports."""
        if isinstance(params, dict):
            params = _Defaults(params)
        cursor = self.execute(sql, params)
        columns = [column[0] for column in cursor.description]
        return _table([dict(zip(columns, row)) for row in cursor], columns)

    def _ask(self, how, name, filters):
        argv = [program(), 'report', name, *how]
        for key, value in filters.items():
            if value is not None:
                argv += [f'--{key.replace("_", "-")}={value}'] if key in OPTIONS else ['-p', f'{key}={value}']
        done = subprocess.run([*argv, '--', self.path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Error(done.stderr.strip() or f'{argv[0]} ended with {done.returncode}')
        return done.stdout, [line for line in done.stderr.splitlines() if line]


class _Defaults(dict):
    def __missing__(self, key):
        return None


def open(path):  # pylint: disable=redefined-builtin
    """The database as a sqlite3.Connection that cannot change it, with the extension where there is one and this Python's sqlite3
    takes any. sqlite3.Error, which names it, if it is none."""
    path = os.path.abspath(path)
    try:
        with pathlib.Path(path).open('rb') as file:
            begins = file.read(16)
    except OSError as e:
        raise sqlite3.OperationalError(f"cannot read '{path}': {e.strerror}") from e
    if begins != b'SQLite format 3\0':
        raise sqlite3.DatabaseError(f"'{path}' is no database: 'tracedb import' makes one of logs")
    run = sqlite3.connect(pathlib.Path(path).as_uri() + '?mode=ro', uri=True, factory=Run)
    run.path = path
    if extension() and hasattr(run, 'enable_load_extension'):
        run.enable_load_extension(True)
        run.load_extension(extension())
        run.enable_load_extension(False)
    return run
