#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvtx_stat against an oracle, which goes over all ranges, and against the view, which SQLite alone asks.

usage: nvtx_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random ranges, among them some that never end, are made with the schema alone, with pages so small that there are many, and once
with a write-ahead log, which SQLite has to read."""
import math
import statistics
import sys
from collections import namedtuple
from pathlib import Path

from asked import ask, each_case, literal, new_db, with_log

STRINGS = ('nvtx', 'phase', 'complete', 'step', 'load', '{"style":"PushPop"}', '{"style":"StartEnd","domain":"NCCL"}', '{"domain":7}', '{"domain":"NCCL","style":"StartEnd","n":1}')
STEP, LOAD, FIRST_ARGS = 4, 5, 6
LABELS = {None: ('PushPop', ''), 6: ('PushPop', ''), 7: ('StartEnd', 'NCCL'), 8: ('PushPop', ''), 9: ('StartEnd', 'NCCL')}
PHASES = (('epoch', 300, 500), ('epoch', 600, 900), ('epoch 1', 300, 500))
COLUMNS = 'name_id, style, domain, ranges, unfinished, total_ns, min_ns, max_ns, p50_ns, round(stddev_ns, 3)'
FILTERS = (
    {}, {'since_ns': 400}, {'until_ns': 700}, {'since_ns': 200, 'until_ns': 650}, {'in_phase': 'EPOCH'}, {'in_phase': 'epoch', 'until_ns': 700}, {'of_pid': 20},
    {'of_process': 'python', 'since_ns': 100}, {'of_process': 'none'},
)
Span = namedtuple('Span', 'start dur kind name process args')


def make_rows(rng, n):
    spans = [Span(rng.randrange(1000), rng.choice((0, 5, 5, rng.randrange(1 << 35))) if rng.random() < 0.95 else None, 1 if rng.random() < 0.8 else 2,
                  rng.choice((STEP, LOAD)), rng.choice((1, 2, None)), rng.choice(tuple(LABELS))) for _ in range(n)]
    return sorted(spans, key=lambda span: span.start)


def make(path, schema, rows, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO string VALUES (?, ?)', enumerate(STRINGS, 1))
    db.executemany('INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, ?, 1)', ((1, 10, 'python'), (2, 20, 'sh')))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO span (start_ns, dur_ns, kind_id, name_id, state_id, process_id, args_id, source_id) VALUES (?, ?, ?, ?, 3, ?, ?, 1)',
                   ((s.start, s.dur, s.kind, s.name, s.process, s.args) for s in rows))
    db.commit()
    return db


def counts(span, asked):
    phases = [1 for label, start, end in PHASES if label == asked.get('in_phase', '').lower() and start <= span.start < end]
    whose = {20: 2, 'python': 1}.get(asked.get('of_pid', asked.get('of_process')), 0)
    return (span.kind == 1 and asked.get('since_ns', 0) <= span.start < asked.get('until_ns', 1 << 60) and ('in_phase' not in asked or phases)
            and (span.process == whose or not asked.keys() & {'of_pid', 'of_process'}))


def oracle(rows, asked):
    last = max((s.start + (s.dur or 0) for s in rows if s.kind == 1), default=0)
    groups = {}
    for s in rows:
        if counts(s, asked):
            groups.setdefault((s.name, *LABELS[s.args]), []).append((last - s.start if s.dur is None else s.dur, s.dur is None))
    for key, of in sorted(groups.items()):
        durs = [dur for dur, _ in of]
        yield (*key, len(of), sum(is_open for _, is_open in of), sum(durs), min(durs), max(durs), float(statistics.median(durs)),
               statistics.stdev(durs) if len(durs) > 1 else 0.0)


def same(answer, want):
    close = lambda x, y: math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-3) if isinstance(y, float) else x == y
    return len(answer) == len(want) and all(len(a) == len(w) and all(map(close, a, w)) for a, w in zip(answer, want))


def statement(asked):
    where = ''.join(f' AND {name} IS {literal(v)}' for name, v in asked.items())
    return f'SELECT {COLUMNS} FROM nvtx_stat WHERE ranges > 0{where} ORDER BY 1, 2, 3'


def differ_held(tracedb, path, db, rows, statements):
    """The file's rows are the answer where it has any: of the whole run, by table and view, and of no part."""
    with db:
        db.execute('INSERT INTO range_stat VALUES (NULL, 4, 77, 1, 6, 5, 4, 3.5, 2.5), (9, 5, 78, 0, 6, 5, 4, 3.0, 0.0)')
    held = [(4, 'PushPop', '', 77, 1, 6, 5, 4, 3.5, 2.5), (5, 'StartEnd', 'NCCL', 78, 0, 6, 5, 4, 3.0, 0.0)]
    whole, *parts = ask(tracedb, path, statements)
    wrong = [] if whole == held and db.execute(statements[0]).fetchall() == held else ['held: ' + statements[0]]
    return wrong + ['beside what is held: ' + sql for sql, asked, answer in zip(statements[1:], FILTERS[1:], parts) if not same(answer, list(oracle(rows, asked)))]


def main(tracedb, schema, seed='1'):
    def look(rng, path, kind, n, page_size):
        rows = make_rows(rng, n)
        db = make(path, Path(schema), rows, page_size)
        with_log(db, kind)
        statements = [statement(asked) for asked in FILTERS]
        wrong = [sql for sql, asked, answer in zip(statements, FILTERS, ask(tracedb, path, statements)) if not same(answer, list(oracle(rows, asked)))]
        if not same(db.execute(statements[0]).fetchall(), list(oracle(rows, {}))):
            wrong.append('the view')
        wrong += differ_held(tracedb, path, db, rows, statements)
        db.close()
        return wrong

    return each_case(seed, (('rows', 0, 4096), ('rows', 1, 4096), ('rows', 2000, 512), ('wal', 700, 1024)), 'spans', look)


sys.exit(main(*sys.argv[1:]))
