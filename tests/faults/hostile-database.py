#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Databases of tracedb with values that no import can have written: every command ends, by itself and with an exit status.

    hostile-database.py TRACEDB DATA [SEED [COUNT]]

TRACEDB is the program, DATA the folder tests/data; COUNT databases are made from SEED on. In each, columns of some tables get
values of another type, NULL, or numbers that are too large to be multiplied by anything, while the schema says what it said."""
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

VALUES = [None, -1, 0, 2**31, 2**32 - 1, 2**32 + 1, 2**40, 2**63 - 1, -2**63, 'x', '', b'\xff\x00', 1e300, -0.5, float('inf')]
SOURCES = ['bpftrace/aligned.out', 'bpftrace/bio.out', 'mllog', 'mpstat', 'nvidia_smi']


def tables(db):
    return dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"))


def set_schema(path, table, sql):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('PRAGMA writable_schema = ON')
    db.execute('UPDATE sqlite_schema SET sql = ? WHERE name = ?', (sql, table))
    db.close()


def forge(path, rng):
    """Sets one column to a value that its table forbids, in all rows or in one."""
    db = sqlite3.connect(path)
    table, sql = rng.choice([(t, s) for t, s in sorted(tables(db).items()) if db.execute(f'SELECT 1 FROM {t}').fetchone()])
    column = rng.choice([row[1] for row in db.execute(f'PRAGMA table_info({table})')])
    db.close()
    loose = re.sub(r'\)\s*STRICT', ')', re.sub(r'\bNOT NULL\b|\b(INTEGER|TEXT|REAL)\b(?! PRIMARY)', '', sql))
    set_schema(path, table, loose)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('PRAGMA ignore_check_constraints = ON')
    value = rng.choice(VALUES)
    where = rng.choice(['', f' WHERE "{column}" = (SELECT "{column}" FROM {table} LIMIT 1 OFFSET {rng.randrange(3)})'])
    try:
        db.execute(f'UPDATE OR IGNORE {table} SET "{column}" = ?{where}', (value,))
    except sqlite3.IntegrityError:
        pass  # a key takes no text
    db.close()
    set_schema(path, table, sql)
    return f'{table}.{column} = {value!r}'


def run(command, folder):
    """What went wrong, or None."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return 'does not end'
    messages = done.stderr.decode(errors='replace')
    if done.returncode not in (0, 1, 2, 3, 4) or 'runtime error' in messages or 'Sanitizer' in messages:
        return f'exit {done.returncode}: {messages[:1000]}'
    return None


def main(program, data, seed='1', count='15'):
    tracedb, data = str(Path(program).resolve()), Path(data).resolve()
    listed = subprocess.run([tracedb, 'report', '--list', '-f', 'tsv'], capture_output=True, text=True, check=True)
    reports = ','.join(line.split('\t')[0] for line in listed.stdout.splitlines()[1:])
    commands = [['info', 'x.db'], ['report', reports, 'x.db'], ['query', 'x.db', 'SELECT * FROM events; SELECT * FROM processes'],
                ['export', '-q', '--force', '--to', 'bpftrace=x.out', 'x.db'],
                ['import', '-q', '--append', '-o', 'x.db', str(data / 'bpftrace' / 'cd.out')]]
    failures = 0
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        base, path = Path(scratch) / 'base.db', Path(scratch) / 'x.db'
        # some of them are cut: status 4
        subprocess.run([tracedb, 'import', '-q', '-o', base, *(data / s for s in SOURCES)], capture_output=True, check=False)
        for number in range(int(seed), int(seed) + int(count)):
            rng = random.Random(number)
            shutil.copy(base, path)
            forged = [forge(path, rng) for _ in range(rng.choice([1, 1, 2, 4]))]
            for command in commands:
                wrong = run([tracedb, *command], scratch)
                if wrong:
                    failures += 1
                    print(f'FAILED seed {number}, {"; ".join(forged)}: {command[0]}: {wrong}')
    print(f'{count} databases, {failures} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
