#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""block_busy against an oracle, which counts the requests in progress in every single nanosecond, and, of the whole run, against the view.

usage: block_busy.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random requests are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read."""
import sys
from pathlib import Path

from asked import ask, each_made, literal, new_db

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
    db = new_db(path, schema, page_size)
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


def in_order(rows):
    return sorted(rows, key=lambda row: row[0] or 0)


def differ(rng, tracedb, path, db, rows):
    """Statements whose answers are not those of the oracle."""
    filters = [(None, None, None)] + [(rng.choice((None, rng.randrange(900, 9000))), rng.choice((None, rng.randrange(2000, 20000))),
                                       rng.choice((None, None, 'epoch', 'eval', 'none'))) for _ in range(12)]
    statements = [f'SELECT {COLUMNS} FROM block_busy WHERE since_ns IS {literal(since)} AND until_ns IS {literal(until)} AND in_phase IS {literal(phase)}'
                  for since, until, phase in filters]
    wanted = [in_order(oracle(rows, *asked)) for asked in filters]
    wrong = [sql for sql, answer, expected in zip(statements, ask(tracedb, path, statements), wanted) if in_order(answer) != expected]
    if in_order(db.execute(statements[0]).fetchall()) != wanted[0]:
        wrong.append('view: ' + statements[0])
    return wrong


def main(tracedb, schema, seed='1'):
    return each_made(seed, (('none', 0, 4096), ('pages', 2500, 512), ('few', 30, 4096), ('wal', 600, 1024)), 'requests', make_rows,
                     lambda path, rows, page_size: make(path, Path(schema), rows, page_size), lambda rng, path, db, rows: differ(rng, tracedb, path, db, rows))


sys.exit(main(*sys.argv[1:]))
