# SPDX-License-Identifier: MIT
"""What the tests of the tables of analyzer/scan share: asking the program, and telling of each database what differs."""
import json
import random
import sqlite3
import subprocess
import tempfile
from pathlib import Path


def new_db(path, schema, page_size):
    """A database of ours without rows, by the files of the folder schema."""
    db = sqlite3.connect(path)
    db.execute(f'PRAGMA page_size = {page_size}')
    for name in ('tables', 'derived', 'views'):
        db.executescript((schema / f'{name}.sql').read_text(encoding='utf-8'))
    db.execute('PRAGMA application_id = 1953653858')    # "trdb"
    text = (schema / 'db.h').read_text(encoding='utf-8')
    db.execute('PRAGMA user_version = ' + text.split('#define TD_SCHEMA_VERSION ')[1].split()[0])
    return db


def tell_files(db):
    """What an import says of the files that there are."""
    db.executescript((Path(__file__).parents[1] / 'sql/files.sql').read_text(encoding='utf-8'))


def literal(v):
    return 'NULL' if v is None else f"'{v}'" if isinstance(v, str) else str(v)


def ask(tracedb, path, statements):
    """The rows of each statement, as tuples, by one run of the program: it takes longer to begin than to answer."""
    found = subprocess.run([tracedb, 'query', '--format', 'json', path, '; '.join(statements)], stdout=subprocess.PIPE, check=True)
    answers = json.loads(found.stdout)
    if len(statements) == 1:
        answers = [answers]
    if len(answers) != len(statements):
        raise SystemExit(f'{len(answers)} answers to {len(statements)} questions: {statements}')
    return [[tuple(row.values()) for row in answer] for answer in answers]


def each_case(seed, cases, rows_are, look):
    """Prints TAP of the cases (kind, number of rows, page size). look(rng, path, kind, n, page_size) makes the database and returns
    the statements whose answers differ from those of the oracle. True: there is one."""
    failed = 0
    print(f'1..{len(cases)}')
    with tempfile.TemporaryDirectory() as folder:
        for i, (kind, n, page_size) in enumerate(cases, 1):
            wrong = look(random.Random(f'{seed} {i}'), Path(folder) / f'{i}.db', kind, n, page_size)
            print(f"{'not ' if wrong else ''}ok {i} - {kind}, {n} {rows_are}, pages of {page_size}: {len(wrong)} answers differ")
            for sql in wrong[:3]:
                print('# ' + sql)
            failed += bool(wrong)
    return failed > 0


def each_made(seed, cases, rows_are, make_rows, make, differ):
    """each_case() of the databases that make(path, rows, page_size) makes of make_rows(rng, n), each looked at by differ(rng, path, db, rows)."""
    def look(rng, path, kind, n, page_size):
        rows = make_rows(rng, n)
        db = make(path, rows, page_size)
        with_log(db, kind)
        wrong = differ(rng, path, db, rows)
        db.close()
        return wrong

    return each_case(seed, cases, rows_are, look)


def with_log(db, kind):
    """A database with a write-ahead log has to be read through SQLite."""
    if 'wal' in kind:
        db.execute('PRAGMA journal_mode = WAL')
