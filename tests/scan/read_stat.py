#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read_stat against an oracle, which goes over the same calls here, and against the view, which SQLite alone asks.

usage: read_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read. Two have read_sum as an import writes it, and no calls: that is asked then."""
import sys
from pathlib import Path

from asked import ask, each_made, new_db, tell_files

OPS = ((1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'cuFileRead', 'cuda', 'read', 'io'), (4, 'vfs_read', 'vfs', 'read', 'io'))
CLASSES = ('regular', 'regular', 'deleted', 'pipe', 'regular')   # of files 1 to 5
TEMPLATES = (1, 2, 1, 1, 2)    # of the same
GROUPINGS = ('file', 'file,process', 'all,file', 'all,process', 'all,template')
COLUMNS = ('by, is_all, file_id, process_id, template_id, reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, reread_bytes')
ALL_OF_THEM = 9223372036854775807


def make_rows(rng, n):
    """Calls: (id, start, operation, process, file, bytes, offset, nested, cold)."""
    offsets = rng.choice(((None, 0, 50, 8192), (0, 50, 8192)))
    cold = rng.choice(((None,), (0, 10, 300), (None, 0, 0, 7, 4096)))
    return [(2 * i, 1000 + i, rng.randrange(1, 5), rng.choice((None, 1, 2, 3)), rng.choice((None, 1, 2, 3, 4, 5)), rng.choice((None, 0, 1, 100, 4096)),
             rng.choice(offsets), int(rng.random() < 0.1), rng.choice(cold)) for i in range(1, n + 1)]


def hold(db, rows):
    """What is held of the calls, which are in the database no more."""
    held = [(by.removeprefix('all,'), *row[2:]) for by in GROUPINGS if by.startswith('all') for row in oracle(rows, by, None) if not row[1]]
    every = [row[5:] for row in oracle(rows, 'all,file', None) if row[1]] or [(0, 0, 0, 0, None, None, None, None, 0, 0)]
    db.executemany(f"INSERT INTO read_sum VALUES ({', '.join('?' * 14)})", [*held, ('all', None, None, None, *every[0])])
    db.execute('DELETE FROM call')


def make(path, schema, rows, page_size, held):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', OPS)
    db.executemany("INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, 'python', 1)", ((1, 10), (2, 20), (3, 30)))
    db.execute("INSERT INTO string VALUES (1, 'f{}'), (2, 'g{}')")
    db.executemany('INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, ?, 1, ?, ?, 0)',
                   ((i, of, f'f{i}', template) for i, (of, template) in enumerate(zip(CLASSES, TEMPLATES), 1)))
    db.executemany('INSERT INTO call (id, start_ns, op_id, process_id, file_id, done_bytes, offset_bytes, nested, cold_bytes, source_id)'
                   ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
    if held:
        hold(db, rows)
    db.commit()
    tell_files(db)
    return db


def reread(reads, who):
    """Bytes of reads beyond where those of each file, by who() for itself, ended; None: an offset is not known."""
    if any(offset is None for _, _, _, offset, _ in reads):
        return None
    groups = {}
    for read in reads:
        groups.setdefault((read[0], who(read)), []).append(read)
    return sum(max(0, sum(size for _, _, size, _, _ in group) - max(offset + size for _, _, size, offset, _ in group)) for group in groups.values())


def sums(reads):
    known = [(size, cold) for _, _, size, _, cold in reads if cold is not None]
    three = [sum(max(size - cold, 0) for size, cold in known), sum(min(size, cold) for size, cold in known), sum(max(cold - size, 0) for size, cold in known)]
    return (len(reads), sum(size for _, _, size, _, _ in reads), len(known), sum(cold == 0 for _, cold in known), *(three if known else (None,) * 3))


def oracle(rows, by, top):
    """top: None: all."""
    reads = [(file, process, size, offset, cold) for _, _, op, process, file, size, offset, nested, cold in rows
             if op in (1, 4) and not nested and size is not None and file and CLASSES[file - 1] != 'pipe']
    groups = {}
    for read in reads:
        file, process = read[:2]
        groups.setdefault((file if 'file' in by else None, process if 'process' in by else None, TEMPLATES[file - 1] if 'template' in by else None), []).append(read)
    found = []
    for key, group in groups.items():
        ends = [offset + size for _, _, size, offset, _ in group if offset is not None]
        found.append((by, 0, *key, *sums(group), max(ends, default=None) if 'file' in by else None, len(ends),
                      reread(group, lambda read: read[1] if 'process' in by else None)))
    if top is not None:
        most = sorted((row[6] for row in found), reverse=True)[:top]
        found = [row for row in found if most and row[6] >= most[-1]]
    if 'all' in by and reads:
        found.append((by, 1, None, None, None, *sums(reads), None, sum(offset is not None for _, _, _, offset, _ in reads), reread(reads, lambda read: None)))
    return found


def in_order(rows):
    return sorted(rows, key=lambda row: [(v is not None, v) for v in row[:6]])


def differ(tracedb, path, db, rows):
    """Statements whose answers are not those of the oracle. The view has no top: it has all rows."""
    held = db.execute('SELECT count(*) FROM read_sum').fetchone()[0]
    groupings = [by for by in GROUPINGS if not held or by != 'file,process']
    asked = [((by,), top) for by in groupings for top in (None, 0, 1, 2, 1000, -1)] + ([] if held else [(GROUPINGS, None)])
    statements = [f'SELECT {COLUMNS} FROM read_stat WHERE by IN {(*by, "none")} AND of_top >= {ALL_OF_THEM if top is None else top}' for by, top in asked]
    wrong = []
    for (by, top), sql, answer in zip(asked, statements, ask(tracedb, path, statements)):
        expected = in_order([row for one in by for row in oracle(rows, one, top if top is None or top >= 0 else None)])
        if in_order(answer) != expected or (top is None and not held and in_order(db.execute(sql).fetchall()) != expected):
            wrong.append(sql)
    return wrong


def main(tracedb, schema, seed='1'):
    of = iter((False, False, False, False, True, True))
    return each_made(seed, (('none', 0, 4096), ('pages', 2500, 512), ('few', 30, 4096), ('wal', 600, 1024), ('held', 600, 1024), ('held, none', 0, 1024)), 'calls', make_rows,
                     lambda path, rows, page_size: make(path, Path(schema), rows, page_size, next(of)), lambda rng, path, db, rows: differ(tracedb, path, db, rows))


sys.exit(main(*sys.argv[1:]))
