#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""block_busy against an oracle, which counts the requests in progress in every single nanosecond, and, of the whole run, against the view.

usage: block_busy.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random requests are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read."""
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

# one that nothing separates from the next, and one that overlaps another of the same name, as of two runs at a time
PHASES = (('epoch', 2000, 6000), ('epoch', 6000, 7000), ('epoch', 9000, 15000), ('eval', 5000, 9100), ('eval', 9000, 10000))
COLUMNS = 'device_id, wall_ns, busy_ns, in_progress_ns, queue_max'


def make_rows(rng, n):
    """Requests: (id, start, duration, device)."""
    start, rows = 1000, []
    for i in range(1, n + 1):
        start += rng.choice((0, 1, 3, 10, 10, 200 if i % 50 == 0 else 2))
        rows.append((2 * i, start, rng.choice((None, 0, 1, 5, 10, 13, 40, 900 if i % 97 == 0 else 7)), rng.choice((1, 1, 2, None))))
    return rows


def make(path, schema, rows, page_size):
    db = sqlite3.connect(path)
    db.execute(f'PRAGMA page_size = {page_size}')
    for name in ('tables', 'derived', 'views'):
        db.executescript((schema / f'{name}.sql').read_text(encoding='utf-8'))
    db.execute('PRAGMA application_id = 1953653858')    # "trdb"
    text = (schema / 'db.h').read_text(encoding='utf-8')
    db.execute('PRAGMA user_version = ' + text.split('#define TD_SCHEMA_VERSION ')[1].split()[0])
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany("INSERT INTO device (id, kind, name) VALUES (?, 'disk', ?)", ((1, 'sda'), (2, 'sdb')))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, source_id) VALUES (?, ?, ?, ?, 0, 1)', rows)
    db.commit()
    return db


def oracle(rows, since, until, phase):
    """Rows of the table: of each disk that has a request from before the end of what is asked for."""
    everything = (-1 << 62, 1 << 62)
    periods = [(max(begin, everything[0] if since is None else since), min(end, everything[1] if until is None else until))
               for begin, end in ([when for label, *when in PHASES if label == phase] if phase else [everything])]
    periods = [(begin, end) for begin, end in periods if begin < end]
    if not rows or not periods:
        return []
    first, last = rows[0][1], max(start + (dur or 0) for _, start, dur, _ in rows)
    asked = [any(begin <= ns < end for begin, end in periods) for ns in range(first, last)]
    depth = {}
    for _, start, dur, device in rows:
        if start < max(end for _, end in periods):
            counts = depth.setdefault(device, [0] * (last - first))
            for ns in range(start, start + (dur or 0)):
                counts[ns - first] += 1
    found = []
    for device, counts in depth.items():
        seen = [n for n, counts_now in zip(counts, asked) if counts_now]
        busy = sum(n > 0 for n in seen)
        found.append((device, sum(asked)) + ((busy, sum(seen), max(seen)) if busy else (None, None, None)))
    return found


def ask(tracedb, path, sql):
    found = subprocess.run([tracedb, 'query', '--format', 'json', path, sql], stdout=subprocess.PIPE, check=True)
    return [tuple(row.values()) for row in json.loads(found.stdout)]


def in_order(rows):
    return sorted(rows, key=lambda row: row[0] or 0)


def literal(v):
    return 'NULL' if v is None else f"'{v}'" if isinstance(v, str) else str(v)


def differ(rng, tracedb, path, db, rows):
    """Statements whose answers are not those of the oracle."""
    wrong = []
    filters = [(None, None, None)] + [(rng.choice((None, rng.randrange(900, 9000))), rng.choice((None, rng.randrange(2000, 20000))),
                                       rng.choice((None, None, 'epoch', 'eval', 'none'))) for _ in range(12)]
    for asked in filters:
        sql = f'SELECT {COLUMNS} FROM block_busy WHERE since_ns IS {literal(asked[0])} AND until_ns IS {literal(asked[1])} AND in_phase IS {literal(asked[2])}'
        answers = [ask(tracedb, path, sql)] + ([db.execute(sql).fetchall()] if asked == (None, None, None) else [])
        if any(in_order(answer) != in_order(oracle(rows, *asked)) for answer in answers):
            wrong.append(sql)
    return wrong


def main(tracedb, schema, seed='1'):
    cases = (('none', 0, 4096), ('pages', 2500, 512), ('few', 30, 4096), ('wal', 600, 1024))
    failed = 0
    print(f'1..{len(cases)}')
    with tempfile.TemporaryDirectory() as folder:
        for i, (kind, n, page_size) in enumerate(cases, 1):
            rng = random.Random(f'{seed} {i}')
            path = Path(folder) / f'{i}.db'
            rows = make_rows(rng, n)
            db = make(path, Path(schema), rows, page_size)
            if kind == 'wal':
                db.execute('PRAGMA journal_mode = WAL')
            wrong = differ(rng, tracedb, path, db, rows)
            db.close()
            print(f"{'not ' if wrong else ''}ok {i} - {kind}, {n} requests, pages of {page_size}: {len(wrong)} answers differ")
            for sql in wrong[:3]:
                print('# ' + sql)
            failed += bool(wrong)
    return failed > 0


sys.exit(main(*sys.argv[1:]))
