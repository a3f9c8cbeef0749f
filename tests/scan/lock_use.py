#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lock_use against an oracle, which goes over all calls, and against the view, which SQLite alone asks.

usage: lock_use.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read."""
import sys
from collections import namedtuple
from pathlib import Path

from asked import ask, each_made, literal, new_db

STRINGS = ('0x7f00', 'FUTEX_WAIT_PRIVATE 0x7f10')
# what locks, another call, and what locks in a GPU's library
OPS = ((1, 'futex', 'syscall', 'lock', 'lock'), (2, 'pthread_mutex_lock', 'libc', 'lock', 'lock'), (3, 'read', 'syscall', 'read', 'io'), (4, 'cuLock', 'cuda', 'lock', 'lock'))
PHASES = (('epoch', 300, 500), ('epoch', 600, 900), ('epoch 1', 300, 500))
COLUMNS = 'process_id, thread_id, op_id, args_id, calls, failed, timed, total_ns, max_ns, max_start_ns'
FILTERS = ({}, {'since_ns': 400}, {'until_ns': 700}, {'since_ns': 200, 'until_ns': 650}, {'in_phase': 'EPOCH'}, {'in_phase': 'epoch', 'until_ns': 700}, {'in_phase': 'none'})
Call = namedtuple('Call', 'start dur op process thread ret nested args')


def make_rows(rng, n):
    return sorted((Call(rng.randrange(1000), rng.choice((None, 0, 5, 5, rng.randrange(1 << 35))), rng.choice((1, 1, 2, 3, 4)), rng.choice((1, 2, None)), rng.choice((1, 2, None)),
                        rng.choice((None, 0, 1, -11)), int(rng.random() < 0.1), rng.choice((1, 2, None))) for _ in range(n)), key=lambda c: c.start)


def make(schema):
    def made(path, rows, page_size):
        db = new_db(path, Path(schema), page_size)
        db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 99999, 0, 'given', 1000)")
        db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
        db.executemany('INSERT INTO string VALUES (?, ?)', enumerate(STRINGS, 1))
        db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', OPS)
        db.executemany('INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, ?, 1)', ((1, 10, 'python'), (2, 20, 'sh')))
        db.executemany('INSERT INTO thread (id, tid, process_id) VALUES (?, ?, ?)', ((1, 10, 1), (2, 11, 1)))
        db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
        db.executemany('INSERT INTO call (start_ns, dur_ns, op_id, process_id, thread_id, ret, nested, args_id, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
        db.commit()
        return db
    return made


def oracle(rows, asked):
    groups = {}
    for c in rows:
        phases = [1 for label, start, end in PHASES if label == asked.get('in_phase', '').lower() and start <= c.start < end]
        if c.op in (1, 2) and not c.nested and asked.get('since_ns', 0) <= c.start < asked.get('until_ns', 1 << 60) and ('in_phase' not in asked or phases):
            groups.setdefault((c.process, c.thread, c.op, c.args), []).append(c)
    for key, calls in sorted(groups.items(), key=lambda item: tuple(v or 0 for v in item[0])):
        timed = [c for c in calls if c.dur is not None]
        longest = max((c.dur for c in timed), default=None)
        yield (*key, len(calls), sum(c.ret is not None and c.ret < 0 for c in calls), len(timed), sum(c.dur for c in timed) if timed else None, longest,
               min((c.start for c in timed if c.dur == longest), default=None))


def statement(asked):
    where = ''.join(f' AND {name} IS {literal(v)}' for name, v in asked.items())
    return f'SELECT {COLUMNS} FROM lock_use WHERE calls > 0{where} ORDER BY 1, 2, 3, 4'


# The view has a row for each call.
ADDED_UP = """WITH u AS (SELECT *, max(max_ns) OVER (PARTITION BY process_id, thread_id, op_id, args_id) AS longest FROM lock_use)
    SELECT process_id, thread_id, op_id, args_id, sum(calls), sum(failed), sum(timed), sum(total_ns), max(max_ns), min(max_start_ns) FILTER (WHERE max_ns = longest)
    FROM u GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""


def differ(_, path, db, rows):
    tracedb = sys.argv[1]
    statements = [statement(asked) for asked in FILTERS]
    wrong = [sql for sql, asked, answer in zip(statements, FILTERS, ask(tracedb, path, statements)) if answer != list(oracle(rows, asked))]
    if db.execute(ADDED_UP).fetchall() != list(oracle(rows, {})):
        wrong.append('the view')
    held = [(1, None, 2, None, 77, 6, 5, 4, 3, 2)]
    with db:
        db.execute('INSERT INTO lock_stat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', held[0])
    whole, *parts = ask(tracedb, path, statements)
    if whole != held or db.execute(statements[0]).fetchall() != held:
        wrong.append('held: ' + statements[0])
    return wrong + ['beside what is held: ' + sql for sql, asked, answer in zip(statements[1:], FILTERS[1:], parts) if answer != list(oracle(rows, asked))]


def main(_, schema, seed='1'):
    return each_made(seed, (('calls', 0, 4096), ('calls', 1, 4096), ('calls', 3000, 512), ('wal', 700, 1024)), 'calls', make_rows, make(schema), differ)


sys.exit(main(*sys.argv[1:]))
