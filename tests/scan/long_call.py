#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""long_call against an oracle, which sorts the same calls here, and against the view, which SQLite alone asks.

usage: long_call.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite
has to read."""
import fnmatch
import itertools
import sys
from pathlib import Path

from asked import ask, each_made, literal, new_db, tell_files

OPS = {1: ('read', 'io'), 2: ('write', 'io'), 3: ('socket', 'io'), 4: ('lock', 'lock')}    # verb, kind
FILES = (('regular', 'f1'), ('device', 'f2'), ('pipe', 'f3'), ('regular', 'f4'), ('socket', 'f5'), ('terminal', '6'))   # class and name of files 1 to 6
WAITED = (3, 5, 6)   # the last is a terminal: of a bare name only the number is known
PHASES = (('epoch', 1100, 1300), ('epoch', 1250, 1500), ('epoch', 1800, 9999), ('eval', 1400, 1600))
NOTHING = {'verb': None, 'top': None, 'since_ns': None, 'until_ns': None, 'in_phase': None, 'of_pid': None, 'of_process': None, 'of_file': None}


def make_rows(rng, n):
    """Calls: (id, start, duration, operation, process, file, nested). Few durations, so that many are as long as others."""
    durations = rng.choice(((None, 0, 1, 2, 3), range(1, 100000), (7,), (-1, 5)))
    return [(2 * i, 1000 + i, rng.choice(durations), rng.randrange(1, 5), rng.choice((None, 1, 2, 3)), rng.choice((None, 1, 2, 3, 4, 5, 6)), int(rng.random() < 0.1))
            for i in range(1, n + 1)]


def make(path, schema, rows, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany("INSERT INTO op VALUES (?, ?, 'syscall', ?, ?)", ((i, f'o{i}', *of) for i, of in OPS.items()))
    db.executemany('INSERT INTO process (id, pid, name, role, lifetime) VALUES (?, ?, ?, ?, 1)', ((1, 10, 'python', 'loader'), (2, 20, 'python', None), (3, 30, 'cp', 'loader')))
    db.execute("INSERT INTO string VALUES (1, 'f{}')")
    db.executemany('INSERT INTO file (id, class, class_known, name, template_id, truncated) VALUES (?, ?, 1, ?, 1, 0)', ((i, *of) for i, of in enumerate(FILES, 1)))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, nested, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, 1)', rows)
    db.commit()
    tell_files(db)
    return db


def counts(row, kind, asked):
    _, start, dur, op, process, file, nested = row
    verb, op_kind = OPS[op]
    return not any((
        nested, dur is None or dur <= 0,
        kind == 'io' and (op_kind != 'io' or verb == 'socket' or file in WAITED),
        asked['verb'] and not fnmatch.fnmatchcase(verb, asked['verb']),
        asked['since_ns'] is not None and start < asked['since_ns'],
        asked['until_ns'] is not None and start >= asked['until_ns'],
        asked['in_phase'] and not any(label == asked['in_phase'].lower() and begin <= start < end for label, begin, end in PHASES),
        asked['of_pid'] and process != asked['of_pid'] / 10,
        asked['of_process'] and process not in {'python': (1, 2), 'loader': (1, 3)}.get(asked['of_process'], ()),
        asked['of_file'] and not (file and fnmatch.fnmatchcase(FILES[file - 1][1], asked['of_file'])),
    ))


def oracle(rows, kind, asked):
    found = sorted(((row[0], row[2], OPS[row[3]][0]) for row in rows if counts(row, kind, asked)), key=lambda call: (-call[1], call[0]))
    return [(kind, *call) for call in (found if asked['top'] is None or asked['top'] < 0 else found[:asked['top']])]


def statement(kind, asked):
    conditions = [f"kind = '{kind}'"] + [f'{name} IS {literal(v)}' for name, v in asked.items() if name not in ('verb', 'top')]
    conditions += [f"verb GLOB '{asked['verb']}'"] * (asked['verb'] is not None) + [f"of_top >= {asked['top']}"] * (asked['top'] is not None)
    return f"SELECT kind, call_id, dur_ns, verb FROM long_call WHERE {' AND '.join(conditions)} ORDER BY dur_ns DESC, call_id"


def questions(rng, n):
    one_by_one = [{name: v} for name, values in (
        ('top', (0, 1, 7, 100, n + 5, -1)), ('verb', ('read', '*o*', 'none')), ('since_ns', (1000 + n // 2,)), ('until_ns', (1001 + n // 3,)), ('in_phase', ('epoch', 'EVAL', 'none')),
        ('of_pid', (20, 99)), ('of_process', ('python', 'loader')), ('of_file', ('f1', 'f[1-3]', 'x'))) for v in values]
    pairs = [a | b for a, b in itertools.combinations(one_by_one, 2)]
    return [(kind, NOTHING | some) for some in ({}, *one_by_one, *rng.sample(pairs, 25)) for kind in ('io', 'all')]


def differ(tracedb, path, db, rows, rng):
    """Statements whose answers are not those of the oracle; the view is asked for the longest with LIMIT."""
    asked = questions(rng, len(rows))
    statements = [statement(*of) for of in asked]
    wrong = [sql for of, sql, answer in zip(asked, statements, ask(tracedb, path, statements)) if answer != oracle(rows, *of)]
    for kind, of in (of for of in asked if not any(v for name, v in of[1].items() if name not in ('verb', 'top'))):
        sql = statement(kind, of) + f" LIMIT {-1 if of['top'] is None else of['top']}"
        if db.execute(sql).fetchall() != oracle(rows, kind, of):
            wrong.append(f'by the view: {sql}')
    return wrong


def main(tracedb, schema, seed='1'):
    return each_made(seed, (('none', 0, 4096), ('pages', 2500, 512), ('pages', 9000, 512), ('few', 30, 4096), ('wal', 600, 1024)), 'calls', make_rows,
                     lambda path, rows, page_size: make(path, Path(schema), rows, page_size), lambda rng, path, db, rows: differ(tracedb, path, db, rows, rng))


sys.exit(main(*sys.argv[1:]))
