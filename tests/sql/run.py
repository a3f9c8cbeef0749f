#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the reports in queries/: each runs in the stock sqlite3 shell on a database made of the schema and a few rows whose answers
were worked out by hand.

    tests/sql/run.py [REPORT...]        prints TAP, exits 1 if a case failed

Without parameters the shell has nothing but the file. With parameters it has the extension $TRACEDB_EXTENSION, without which those
cases are left out.

The measures of queries/compare/ are tested as reports called compare/MEASURE.

tests/sql/compare/base.sql        rows that all of those of measures have
tests/sql/REPORT/setup.sql        the rows, base tables and derived ones; without it only the header and the empty database are tested
tests/sql/REPORT/expect.csv       what the report prints without parameters; and, if it takes :start_ns, with :start_ns 0,
                                  which covers everything: the derived tables and the calls must give the same answer (but for
                                  what has tables of its own for times, 'timed')
tests/sql/REPORT/CASE/            the same of other rows: setup.sql and expect*.csv
tests/sql/REPORT/expect-NAME.csv  with parameters, from the lines '# :name value' that the file begins with; other lines
                                  that begin with '#' are comments

What derived tables say of the files of a setup by themselves is not in it: files.sql makes it of them.

A setup.sql of the same rows as another is a symlink to it."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent  # in a tree of links the one that it is called by
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import heads  # pylint: disable=wrong-import-position

EXTENSION = os.environ.get('TRACEDB_EXTENSION')
WORDS = heads.vocabulary()
SCHEMA = [ROOT / 'schema' / f'{name}.sql' for name in ('tables', 'derived', 'views')]
MARK = '@@ '


class Cases:
    """What TAP says of each."""
    def __init__(self):
        self.n = self.failed = 0

    def check(self, name, why):
        self.n += 1
        self.failed += bool(why)
        print(f'{"not ok" if why else "ok"} {self.n} - {name}')
        for line in why.splitlines():
            print(f'# {line}')


def shell(db, *script):
    """The stock shell's output and errors."""
    done = subprocess.run(['sqlite3', db], input='\n'.join(script) + '\n', capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C'})
    return done.stdout.replace('\r', ''), done.stderr


def filled(*files):
    """In one transaction, and without waiting for the disk."""
    return ['.bail on', 'PRAGMA synchronous = OFF;', 'BEGIN;', *(file.read_text(encoding='utf-8') for file in files), 'COMMIT;', '.bail off']


def static(sql, params):
    """What the header promises: one statement, the parameters, the order."""
    code = re.sub(r'--.*', '', sql)
    if len(re.findall(r';\s*$', code, re.MULTILINE)) != 1:
        yield 'not exactly one statement'
    used = set(re.findall(r':([a-z_]+)', re.sub(r"'[^'\n]*'", '', code)))
    if used != set(params):
        yield f'parameters: the header has {sorted(params)}, the statement {sorted(used)}'
    order = ''.join(re.findall(r'^-- order: (.*)$', sql, re.MULTILINE))
    last = re.findall(r'^ORDER BY (.*)', code, re.MULTILINE)
    if order != ''.join(last[-1:]).rstrip().removesuffix(';'):
        yield f"order is '{order}', but the statement ends with '{''.join(last[-1:])}'"


class Expected:
    """A file of what a report prints, with these parameters."""
    def __init__(self, path):
        lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
        self.name = path.stem
        self.params = [line[2:].rstrip('\n') for line in lines if line.startswith('# :')]
        self.text = ''.join(line for line in lines if not line.startswith('#'))

    def script(self, sql):
        return [f'.print {MARK}{self.name}', '.parameter init', '.parameter clear', *(f'.parameter set {param}' for param in self.params),
                f'.read {sql}']


def expectations(folder, sql, params):
    """In their order: those without parameters are asked of the shell before the extension is there."""
    for path in sorted(folder.glob('expect*.csv')):
        expected = Expected(path)
        if EXTENSION or not expected.params:
            yield expected
        if EXTENSION and path.stem == 'expect' and 'start_ns' in params and not re.search('^-- timed:', sql, re.MULTILINE):
            whole = Expected(path)
            whole.name, whole.params = 'expect, all of the time asked for', [':start_ns 0']
            yield whole


def difference(want, got):
    return ''.join(difflib.unified_diff(want.splitlines(keepends=True), got.splitlines(keepends=True), 'want', 'got', n=1))


class Runner:
    def __init__(self, folder):
        self.cases = Cases()
        self.folder = folder
        self.schema = folder / 'schema.db'
        said = shell(self.schema, *filled(*SCHEMA))
        if said != ('', ''):
            raise SystemExit(f'the schema: {said}')

    def database(self, name):
        return shutil.copy(self.schema, self.folder / name)

    def report(self, name):
        path = ROOT / 'queries' / f'{name}.sql'
        sql = path.read_text(encoding='utf-8')
        params = heads.params(sql, WORDS)
        self.cases.check(f'{name}: header', '\n'.join(static(sql, params)))
        self.cases.check(f'{name}: empty database', shell(self.schema, f'.open --readonly {self.schema}', f'.read {path}')[1])
        for rows in sorted((HERE / name).glob('setup.sql')) + sorted((HERE / name).glob('*/setup.sql')):
            self.setup(name, path, params, rows.parent)

    def setup(self, name, path, params, folder):
        """The rows of the folder, and what is expected of them: all of it by one shell."""
        what = str(folder.relative_to(HERE))
        base = [HERE / 'compare' / 'base.sql'] if name.startswith('compare/') else []
        sql = path.read_text(encoding='utf-8')
        all_expected = list(expectations(folder, sql, params))
        db = self.database('run.db')
        plain = [line for expected in all_expected if not expected.params for line in expected.script(path)]
        asked = [line for expected in all_expected if expected.params for line in expected.script(path)]
        out, errors = shell(db, *filled(*base, folder / 'setup.sql', HERE / 'files.sql'), f'.open --readonly {db}', '.headers on', '.mode csv',
                            *plain, *([f'.load {EXTENSION}', *asked] if asked else []))
        self.cases.check(f'{what}: setup', errors)
        got = dict(part.split('\n', 1) for part in out.split(MARK)[1:])
        columns = ','.join(column for column, _ in heads.columns(sql, WORDS))
        for expected in all_expected:
            why = difference(expected.text, got.get(expected.name, ''))
            if expected.text and expected.text.splitlines()[0] != columns:
                why += f'the header has the columns {columns}\n'
            self.cases.check(f'{what}: {expected.name}', why)

    def view(self):
        """A file from elsewhere may hold a view that asks for calls "during" a SELECT of its own: that would run with its reader's rights."""
        db, trapped = self.database('trap.db'), self.folder / 'trapped'
        out, errors = shell(db, f'''CREATE VIEW trap AS SELECT calls FROM tracedb_stat WHERE by = 'all' AND during =
            'SELECT 1, writefile(''{trapped}'', ''x'')';''', f'.open {db}', f'.load {EXTENSION}', 'SELECT * FROM trap;')
        why = '' if 'unsafe use of virtual table' in errors else f'it says {out}{errors}'
        self.cases.check('extension: a view of the file runs no SELECT', why + ('the view wrote a file' if trapped.exists() else ''))


def main(names):
    queries = ROOT / 'queries'
    names = names or [str(path.relative_to(queries).with_suffix('')) for folder in (queries, queries / 'compare')
                      for path in sorted(folder.glob('*.sql'))]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder))
        for name in names:
            runner.report(name)
        if EXTENSION:
            runner.view()
    print(f'1..{runner.cases.n}')
    return runner.cases.failed > 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
