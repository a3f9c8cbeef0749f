#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""transfer_stat against an oracle, which goes over the same calls here, and of the whole run against the view, which SQLite alone asks.

usage: transfer_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, twice with a write-ahead log, which SQLite has to
read, and once with so many files that those with most bytes are looked for first. Half of them have bin_stat, which is asked of the whole run then."""
import itertools
import sys
from pathlib import Path

from asked import ask, each_made, literal, new_db, tell_files

OPS = ((1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'pread64', 'syscall', 'read', 'io'), (4, 'close', 'syscall', 'close', 'io'),
       (5, 'poll', 'syscall', 'poll', 'wait'))
CLASSES = ('regular', 'shm', 'pipe', 'device', 'unnamed', 'regular')    # of files 1 to 6
TEMPLATES = (1, 2, 1, 1, 2, 3)  # of the same
MANY = 20000    # the id of the last file, where there are many
PIDS = {1: 10, 2: 20, 3: 20}    # of processes
WIDTH = 100
BEGIN = -250    # a bin begins before 0, too
PHASES = (('epoch', -100, 300), ('epoch', 500, 620), ('epoch 1', -100, 300))
COLUMNS = 'process_id, file_id, template_id, read_bytes, write_bytes, read_max_bytes_per_s, write_max_bytes_per_s, transfer_ns, bins, first_bin_ns, wall_ns, most_bytes_per_s'
BY = ('process', 'file', 'template')
ALL_OF_THEM = 9223372036854775807


def make_rows(rng, n):
    """Calls: (id, start, duration, operation, process, file, result, bytes, nested)."""
    starts = sorted(rng.randrange(BEGIN, 900) for _ in range(n))
    return [(2 * i, start, rng.choice((None, 0, 5, 80, 250)), rng.randrange(1, 6), rng.choice((None, 1, 2, 3)), rng.choice((None, 1, 2, 3, 4, 5, 6)),
             rng.choice((0, -5)), rng.choice((None, 0, 1, 100, 4096)), int(rng.random() < 0.1)) for i, start in enumerate(starts, 1)]


def key(row, *of):
    return tuple(row[i] for i in of)


def total(values):
    values = [v for v in values if v is not None]
    return sum(values) if values else None


def grouped(rows, key_of):
    groups = {}
    for row in rows:
        groups.setdefault(key_of(row), []).append(row)
    return groups


def bin_of(row):
    return row[1] // WIDTH * WIDTH


def make(path, schema, rows, page_size, held, many):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 900, 0, 'given', ?)", (WIDTH,))
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', OPS)
    db.executemany("INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, 'python', 1)", PIDS.items())
    db.execute("INSERT INTO string VALUES (1, 'f{}'), (2, 'g{}'), (3, 'h')")
    db.executemany('INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, ?, 1, ?, ?, 0)',
                   ((i, of, f'f{i}', template) for i, (of, template) in enumerate(zip(CLASSES, TEMPLATES), 1)))
    if many:
        db.execute("INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, 'regular', 1, '', 1, 0)", (MANY,))
    db.executemany('INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    if held:
        db.executemany('INSERT INTO bin_stat VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
                       ((*of, len(calls), sum(call[6] < 0 for call in calls), total(call[7] for call in calls), total(call[2] for call in calls) or 0)
                        for of, calls in grouped((row for row in rows if not row[8]), lambda row: (bin_of(row), *key(row, 4, 5, 3))).items()))
    else:
        db.execute("INSERT INTO stat_omitted VALUES ('call_stat', 'file,process,op,bin', 0)")
    db.commit()
    tell_files(db)
    return db


def is_wanted(row, since, until, phase, pid, process):
    """Whether a call counts."""
    start, file = row[1], row[5]
    return (row[3] < 4 and not row[8] and (not file or CLASSES[file - 1] not in ('pipe', 'unnamed')) and (since is None or start >= since)
            and (until is None or start < until) and (phase is None or any(label == phase and begin <= start < end for label, begin, end in PHASES))
            and (pid is None or PIDS.get(row[4]) == pid) and (process is None or (process == 'python' and row[4] is not None)))


def of_group(calls):
    """What is said of one process, file or template."""
    bins = [(at, verb, total(call[7] for call in of), total(call[2] for call in of) or 0)
            for (at, verb), of in grouped(calls, lambda row: (bin_of(row), 'write' if row[3] == 2 else 'read')).items()]
    sums = [total(size for _, verb, size, _ in bins if verb == of) for of in ('read', 'write')]
    peaks = [max((1e9 * size / max(WIDTH, ns) for _, verb, size, ns in bins if verb == of and size is not None), default=None) for of in ('read', 'write')]
    first, last = min(bins)[0], max(bins)[0]
    return [*sums, *peaks, sum(ns for _, _, size, ns in bins if size is not None), len({at for at, *_ in bins}), first, last + WIDTH - first]


def oracle(rows, by, top, asked):
    """top: None: all."""
    found = []
    for of, calls in grouped((row for row in rows if is_wanted(row, *asked)),
                             lambda row: row[4] if by == 'process' else row[5] if by == 'file' or not row[5] else TEMPLATES[row[5] - 1]).items():
        ids = [of if by == one else None for one in BY]
        group = of_group(calls)
        if sum(filter(None, group[:2])) > 0:
            found.append([*ids, *group])
    sizes = [sum(filter(None, row[3:5])) for row in found]
    most = max((1e9 * size / row[-1] for size, row in zip(sizes, found)), default=None)
    if top is not None:
        least = (sorted(sizes, reverse=True)[:top] or [ALL_OF_THEM])[-1]
        found = [row for size, row in zip(sizes, found) if size >= least]
    return [(*row, most) for row in found]


def in_order(rows):
    """Numbers are printed with 15 digits at most."""
    return sorted((tuple(float(f'{v:.12g}') if isinstance(v, float) else v for v in row) for row in rows), key=lambda row: [(v is not None, v) for v in row])


def differ(tracedb, path, db, rows):
    """Statements whose answers are not those of the oracle. The view has the whole run alone, and all rows."""
    parts = [(None,) * 5, (0, None, None, None, None), (-120, 410, None, None, None), (None, None, 'epoch', None, None), (None, 560, 'epoch', 20, None),
             (None, None, None, 20, None), (None, None, None, None, 'python'), (None, None, 'epoch 2', None, None), (None, None, None, 30, None)]
    asked = list(itertools.product(BY, (None, 0, 1, 2, 1000), parts))
    statements = [f'SELECT {COLUMNS} FROM transfer_stat WHERE by = {literal(by)} AND of_top >= {ALL_OF_THEM if top is None else top}'
                  f' AND since_ns IS {literal(since)} AND until_ns IS {literal(until)} AND in_phase IS {literal(phase)} AND of_pid IS {literal(pid)} AND of_process IS {literal(process)}'
                  for by, top, (since, until, phase, pid, process) in asked]
    wrong = []
    for (by, top, of), sql, answer in zip(asked, statements, ask(tracedb, path, statements)):
        expected = in_order(oracle(rows, by, top, of))
        if in_order(answer) != expected or (top is None and of == parts[0] and in_order(db.execute(sql).fetchall()) != expected):
            wrong.append(sql)
    return wrong


def main(tracedb, schema, seed='1'):
    of = iter(((False, False), (False, False), (True, False), (True, False), (False, True), (False, False), (True, False)))
    return each_made(seed, (('none', 0, 4096), ('pages', 2500, 512), ('bins', 2500, 512), ('few, bins', 30, 4096), ('many files', 800, 1024), ('wal', 600, 1024), ('bins, wal', 600, 1024)), 'calls', make_rows,
                     lambda path, rows, page_size: make(path, Path(schema), rows, page_size, *next(of)), lambda rng, path, db, rows: differ(tracedb, path, db, rows))


sys.exit(main(*sys.argv[1:]))
