#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read_stat against an oracle, which goes over the same calls here, and against the view, which SQLite alone asks.

usage: read_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read."""
import sys
from pathlib import Path

from asked import ask, each_case, new_db, with_log

OPS = ((1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'cuFileRead', 'cuda', 'read', 'io'), (4, 'vfs_read', 'vfs', 'read', 'io'))
CLASSES = ('regular', 'regular', 'deleted', 'pipe', 'regular')   # of files 1 to 5
COLUMNS = 'by, file_id, process_id, reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed'


def make_rows(rng, n):
    """Calls: (id, start, operation, process, file, bytes, offset, nested, cold)."""
    cold = rng.choice(((None,), (0, 10, 300), (None, 0, 0, 7, 4096)))
    return [(2 * i, 1000 + i, rng.randrange(1, 5), rng.choice((None, 1, 2, 3)), rng.choice((None, 1, 2, 3, 4, 5)), rng.choice((None, 0, 1, 100, 4096)),
             rng.choice((None, 0, 50, 8192)), int(rng.random() < 0.1), rng.choice(cold)) for i in range(1, n + 1)]


def make(path, schema, rows, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', OPS)
    db.executemany("INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, 'python', 1)", ((1, 10), (2, 20), (3, 30)))
    db.execute("INSERT INTO string VALUES (1, 'f{}')")
    db.executemany('INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, ?, 1, ?, 1, 0)', ((i, of, f'f{i}') for i, of in enumerate(CLASSES, 1)))
    db.executemany('INSERT INTO call (id, start_ns, op_id, process_id, file_id, done_bytes, offset_bytes, nested, cold_bytes, source_id)'
                   ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
    db.commit()
    return db


def oracle(rows, by):
    groups = {}
    for _, _, op, process, file, size, offset, nested, cold in rows:
        if op in (1, 4) and not nested and size is not None and file and CLASSES[file - 1] != 'pipe':
            groups.setdefault((by, file, process if by == 'file,process' else None), []).append((size, offset, cold))
    for key, reads in groups.items():
        known = [(size, cold) for size, _, cold in reads if cold is not None]
        ends = [offset + size for size, offset, _ in reads if offset is not None]
        sums = [sum(max(size - cold, 0) for size, cold in known), sum(min(size, cold) for size, cold in known), sum(max(cold - size, 0) for size, cold in known)]
        yield (*key, len(reads), sum(size for size, _, _ in reads), len(known), sum(cold == 0 for _, cold in known), *(sums if known else (None,) * 3),
               max(ends, default=None), len(ends))


def in_order(rows):
    return sorted(rows, key=lambda row: [(v is not None, v) for v in row[:3]])


def differ(tracedb, path, db, rows):
    """Statements whose answers are not those of the oracle."""
    asked = (('file',), ('file,process',), ('file', 'file,process'))
    statements = [f'SELECT {COLUMNS} FROM read_stat' + (f" WHERE by = '{by[0]}'" if len(by) == 1 else '') for by in asked]
    wrong = []
    for by, sql, answer in zip(asked, statements, ask(tracedb, path, statements)):
        expected = in_order([row for one in by for row in oracle(rows, one)])
        if in_order(answer) != expected or in_order(db.execute(sql).fetchall()) != expected:
            wrong.append(sql)
    return wrong


def main(tracedb, schema, seed='1'):
    def look(rng, path, kind, n, page_size):
        rows = make_rows(rng, n)
        db = make(path, Path(schema), rows, page_size)
        with_log(db, kind)
        wrong = differ(tracedb, path, db, rows)
        db.close()
        return wrong

    return each_case(seed, (('none', 0, 4096), ('pages', 2500, 512), ('few', 30, 4096), ('wal', 600, 1024)), 'calls', look)


sys.exit(main(*sys.argv[1:]))
