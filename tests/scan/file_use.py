#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""file_use against its view, which SQLite alone asks: of the whole run in the same database, of a part of it in one that has no other calls.

usage: file_use.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, once with a write-ahead log, which SQLite has to
read, and once with so many files that those with most time are looked for first. Half of them have file_stat, which is asked of the whole run then."""
import sys
from pathlib import Path

from asked import ask, each_made, literal, new_db, tell_files

OPS = ((1, 'openat', 'syscall', 'open', 'io'), (2, 'read', 'syscall', 'read', 'io'), (3, 'write', 'syscall', 'write', 'io'), (4, 'pread64', 'syscall', 'read', 'io'),
       (5, 'close', 'syscall', 'close', 'io'), (6, 'recvmsg', 'syscall', 'socket', 'io'), (7, 'poll', 'syscall', 'wait', 'wait'))
STRINGS = ('regular', 'deleted', 'unnamed', 'device', 'terminal', 'pipe', '/d', '/dev', '/d/a{}', 'a{}', '', '/dev/pts/{}', '{}', 'pipe:[{}]', '/dev/nvidia{}')
# path, name, path_basis, class, directory, template, truncated
FILES = (('/d/a1', 'a1', 'printed', 'regular', '/d', '/d/a{}', 0), ('/d/a2', 'a2', 'matched', 'deleted', '/d', '/d/a{}', 1), (None, 'a3', None, 'regular', None, 'a{}', 0),
         (None, '', None, 'unnamed', None, '', 0), ('/dev/pts/3', '3', 'printed', 'terminal', '/dev', '/dev/pts/{}', 0), (None, '7', None, 'terminal', None, '{}', 0),
         (None, 'pipe:[1]', None, 'pipe', None, 'pipe:[{}]', 0), ('/dev/nvidia0', 'nvidia0', 'printed', 'device', '/dev', '/dev/nvidia{}', 0), ('/d/a9', 'a9', None, 'regular', '/d', '/d/a{}', 1))
MANY = 20000    # the id of the last file, where there are many
PIDS = {1: 10, 2: 20, 3: 20}    # of processes
PHASES = (('epoch', -100, 300), ('epoch', 500, 620), ('epoch 1', -100, 300))
WHOLE = (None,) * 5
PARTS = ((0, None, None, None, None), (-120, 410, None, None, None), (None, None, 'epoch', None, None), (None, 560, 'epoch', 20, None), (None, None, None, 10, None),
         (None, None, None, 20, None), (None, None, None, None, 'python'), (None, None, 'epoch 2', None, None), (None, None, None, 30, None))
COLUMNS = ('by, key_id, name, class, path_basis, calls, errors, total_ns, done_bytes, opens, reads, writes, read_bytes, write_bytes, read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns,'
           ' read_p50_bytes, sequential, random, all_total_ns, all_done_bytes')
TOTAL_NS = 7    # of these
ORDER = 'total_ns DESC, done_bytes DESC, calls DESC, name, key_id'
BY = tuple(of + waited for waited in ('', ',waited') for of in ('file', 'template', 'directory', 'process', 'class'))
HELD = tuple(f'{of}{process},verb' for of in ('file', 'template', 'directory', 'class') for process in ('', ',process')) + ('process,verb',)
ALL_OF_THEM = 9223372036854775807


def make_rows(rng, n):
    """Calls: (id, start, duration, operation, process, file, result, bytes, offset, nested)."""
    starts = sorted(rng.randrange(-250, 900) for _ in range(n))
    return [(2 * i, start, rng.choice((None, 0, 5, 80, 250)), rng.randrange(1, 8), rng.choice((None, 1, 2, 3)), rng.choice((None, *range(1, 10))), rng.choice((0, -5)),
             rng.choice((None, 0, 1, 100, 100, 4096)), rng.choice((None, 0, 100, 200, 4096)), int(rng.random() < 0.1)) for i, start in enumerate(starts, 1)]


def make(path, schema, rows, page_size, held, many):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 900, 0, 'given', 100)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', OPS)
    db.executemany("INSERT INTO process (id, pid, name, lifetime, host) VALUES (?, ?, iif(?1 = 3, NULL, 'python'), 1, iif(?1 = 2, 'node1', NULL))", PIDS.items())
    db.executemany('INSERT INTO string VALUES (?, ?)', enumerate(STRINGS, 1))
    ids = {text: i for i, text in enumerate(STRINGS, 1)}
    db.executemany('INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)',
                   ((i, *of[:4], ids.get(of[4]), ids[of[5]], of[6]) for i, of in enumerate(FILES, 1)))
    if many:
        db.execute("INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, 'regular', 1, '', 1, 0)", (MANY,))
    db.executemany('INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)', rows)
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany("INSERT INTO stat_omitted VALUES ('io_stat', ?, 0)", ((by,) for by in HELD))
    if held:    # what the view finds in the calls
        db.execute(f"""INSERT INTO file_stat SELECT by, coalesce(file_id, template_id, directory_id, (SELECT id FROM string WHERE text = s.class), iif(by = 'process,verb', process_id, NULL)),
            iif(by = 'process,verb', NULL, process_id), verb, calls, errors, timed, done_bytes, total_ns, max_ns, p50_ns, p99_ns, min_bytes, p50_bytes_low, max_bytes, sequential, random,
            first_ns, last_ns FROM io_stat AS s WHERE by IN ({', '.join(literal(by) for by in HELD)})""")
        db.execute('DELETE FROM stat_omitted')
    db.commit()
    tell_files(db)
    return db


def is_wanted(row, since, until, phase, pid, process):
    """Whether a call counts."""
    start = row[1]
    return ((since is None or start >= since) and (until is None or start < until) and (phase is None or any(label == phase and begin <= start < end for label, begin, end in PHASES))
            and (pid is None or PIDS.get(row[4]) == pid) and (process is None or row[4] in (1, 2)))


def first(rows, top):
    """Those with most time, and what ties with the last of them; NULL is less than any."""
    times = [-1 if row[TOTAL_NS] is None else row[TOTAL_NS] for row in rows]    # in order
    return [row for row, ns in zip(rows, times) if top and ns >= times[min(top, len(times)) - 1]]


def rounded(rows):
    """Numbers are printed with 15 digits at most."""
    return [tuple(float(f'{v:.12g}') if isinstance(v, float) else v for v in row) for row in rows]


def differ(rng, tracedb, path, db, rows, schema, many):
    """Statements whose answers are not those of the view."""
    asked, expected = [], []
    for part in (WHOLE, *rng.sample(PARTS, 4)):
        of = db if part == WHOLE else make(':memory:', schema, [row for row in rows if is_wanted(row, *part)], 4096, False, many)
        for by in rng.sample(BY, 3):
            top = rng.choice((None, 0, 1, 2, 1000))
            whole = of.execute(f'SELECT {COLUMNS} FROM file_use WHERE by = {literal(by)} ORDER BY {ORDER}').fetchall()
            expected.append(whole if top is None or not many or not by.startswith('file') else first(whole, top))
            given = ' AND '.join(f'{name} IS {literal(v)}' for name, v in zip(('since_ns', 'until_ns', 'in_phase', 'of_pid', 'of_process'), part))
            asked.append(f'SELECT {COLUMNS} FROM file_use WHERE by = {literal(by)} AND of_top >= {ALL_OF_THEM if top is None else top} AND {given} ORDER BY {ORDER}')
    return [sql for sql, answer, rows in zip(asked, ask(tracedb, path, asked), expected) if rounded(answer) != rounded(rows)]


def main(tracedb, schema, seed='1'):
    of = iter(((False, False), (False, False), (True, False), (True, False), (False, True), (True, True), (False, False)))
    many = []

    def make_next(path, rows, page_size):
        held, is_many = next(of)
        many[:] = [is_many]
        return make(path, Path(schema), rows, page_size, held, is_many)

    return each_made(seed, (('none', 0, 4096), ('pages', 2500, 512), ('held', 2500, 512), ('few, held', 30, 4096), ('many files', 800, 1024), ('many files, held', 800, 1024), ('wal', 600, 1024)),
                     'calls', make_rows, make_next, lambda rng, path, db, rows: differ(rng, tracedb, path, db, rows, Path(schema), many[0]))


sys.exit(main(*sys.argv[1:]))
