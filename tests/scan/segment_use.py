#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""segment_use against an oracle, which goes over all calls, and against the view, which SQLite alone asks.

usage: segment_use.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls on files of several classes are made with the schema alone, with pages so small that there are many, and once with a
write-ahead log, which SQLite has to read."""
import sys
from collections import namedtuple
from pathlib import Path

from asked import ask, each_made, literal, new_db, tell_files

OPS = (('fallocate', 'truncate'), ('posix_fallocate', 'other'), ('ftruncate64', 'truncate'), ('mmap', 'map'), ('write', 'write'), ('pread64', 'read'), ('close', 'close'))
FILES = ('shm', 'memfd', 'regular', 'shm')
PHASES = (('epoch', 300, 500), ('epoch', 600, 900), ('epoch 1', 300, 500))
COLUMNS = 'file_id, process_id, sized_bytes, sized_ns, map_bytes, mapped_bytes, mapped_ns, write_bytes, read_bytes, first_ns'
FILTERS = ({}, {'since_ns': 400}, {'until_ns': 700}, {'since_ns': 200, 'until_ns': 650}, {'in_phase': 'EPOCH'}, {'in_phase': 'epoch', 'until_ns': 700}, {'in_phase': 'none'})
Call = namedtuple('Call', 'start op process file ret asked done offset nested')


def make_rows(rng, n):
    size = lambda: rng.choice((None, 0, 5, 4096, rng.randrange(1 << 40)))
    return sorted((Call(rng.randrange(1000), rng.randint(1, len(OPS)), rng.choice((1, 2, None)), rng.choice((1, 2, 3, 4, None)), rng.choice((None, 0, 1, -11)), size(), size(),
                        size(), int(rng.random() < 0.1)) for _ in range(n)), key=lambda c: c.start)


def make(schema):
    def made(path, rows, page_size):
        db = new_db(path, Path(schema), page_size)
        db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 99999, 0, 'given', 1000)")
        db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
        db.executemany("INSERT INTO op (name, layer, verb, kind) VALUES (?, 'syscall', ?, 'io')", OPS)
        db.executemany('INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, ?, 1)', ((1, 10, 'python'), (2, 20, 'sh')))
        db.execute("INSERT INTO string VALUES (1, 'f{}')")
        db.executemany('INSERT INTO file (name, class, class_known, template_id, truncated) VALUES (?, ?, 1, 1, 0)', ((f'f{i}', cls) for i, cls in enumerate(FILES)))
        db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
        db.executemany('INSERT INTO call (start_ns, op_id, process_id, file_id, ret, asked_bytes, done_bytes, offset_bytes, nested, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
        db.commit()
        tell_files(db)
        return db
    return made


def sized(c):
    if OPS[c.op - 1][0] == 'ftruncate64':
        return c.offset if c.asked is None else c.asked
    return None if c.asked is None else (c.offset or 0) + c.asked


def oracle(rows, asked):
    most, first, total = (lambda of: max((v for v in of if v is not None), default=None)), (lambda of: min((c.start for c in of), default=None)), \
        (lambda of: sum(v for v in of if v is not None) if any(v is not None for v in of) else None)
    groups = {}
    for c in rows:
        phases = [1 for label, start, end in PHASES if label == asked.get('in_phase', '').lower() and start <= c.start < end]
        if c.file in (1, 2, 4) and not c.nested and (c.ret is None or c.ret >= 0) and asked.get('since_ns', 0) <= c.start < asked.get('until_ns', 1 << 60) \
                and ('in_phase' not in asked or phases):
            groups.setdefault((c.file, c.process), []).append(c)
    for key, calls in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        sizing, verb = [c for c in calls if c.op <= 3], lambda name: [c for c in calls if OPS[c.op - 1][1] == name]
        maps = verb('map')
        yield (*key, most([sized(c) for c in sizing]), first(sizing), most([c.asked for c in maps]), total([c.asked for c in maps]), first(maps),
               total([c.done for c in verb('write')]), total([c.done for c in verb('read')]), first(calls))


def statement(asked):
    where = ''.join(f' AND {name} IS {literal(v)}' for name, v in asked.items())
    return f'SELECT {COLUMNS} FROM segment_use WHERE first_ns >= 0{where} ORDER BY 1, 2'


def differ(_, path, db, rows):
    statements = [statement(asked) for asked in FILTERS]
    wrong = [sql for sql, asked, answer in zip(statements, FILTERS, ask(sys.argv[1], path, statements)) if answer != list(oracle(rows, asked))]
    if db.execute(statements[0]).fetchall() != list(oracle(rows, {})):
        wrong.append('the view')
    held = [(1, None, 9, 8, 7, 6, 5, 4, 3, 2)]
    with db:
        db.execute('INSERT INTO shm_stat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', held[0])
    whole, *parts = ask(sys.argv[1], path, statements)
    if whole != held or db.execute(statements[0]).fetchall() != held:
        wrong.append('held: ' + statements[0])
    return wrong + ['beside what is held: ' + sql for sql, asked, answer in zip(statements[1:], FILTERS[1:], parts) if answer != list(oracle(rows, asked))]


def main(_, schema, seed='1'):
    return each_made(seed, (('calls', 0, 4096), ('calls', 1, 4096), ('calls', 3000, 512), ('wal', 700, 1024)), 'calls', make_rows, make(schema), differ)


sys.exit(main(*sys.argv[1:]))
