#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""operator_stat against an oracle, which looks for what each span is within among all, and against the view, which SQLite alone asks.

usage: operator_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random spans, calls and work of GPUs are made with the schema alone, with pages so small that there are many, and once with a
write-ahead log, which SQLite has to read."""
import sys
from collections import namedtuple
from pathlib import Path

from asked import ask, each_case, literal, new_db, with_log

STRINGS = ('cpu-op', 'annotation', 'nvtx', 'python', 'complete', 'kernel', 'copy', 'sync', 'aten::add', 'step', 'aten::mm, op_id = 3', 'aten::t, seq = 4', 'mine')
ID = {text: i for i, text in enumerate(STRINGS, 1)}
NAMES = {'cpu-op': ('aten::add', 'mine'), 'annotation': ('step', 'mine'), 'nvtx': ('aten::mm, op_id = 3', 'aten::t, seq = 4', 'mine'), 'python': ('mine',)}
PHASES = (('epoch', 300, 500), ('epoch', 600, 900), ('epoch 1', 300, 500))
COLUMNS = 'kind_id, name_id, calls, total_ns, self_ns, min_ns, max_ns, gpu_ops, gpu_ns'
FILTERS = (
    {}, {'since_ns': 400}, {'until_ns': 700}, {'since_ns': 200, 'until_ns': 650}, {'in_phase': 'EPOCH'}, {'in_phase': 'epoch', 'until_ns': 700}, {'of_pid': 20},
    {'of_process': 'python', 'since_ns': 100}, {'since_ns': 5000, 'until_ns': 9000},
)
Span = namedtuple('Span', 'start dur kind name process thread')
Call = namedtuple('Call', 'start op process thread correlation')
Work = namedtuple('Work', 'start dur kind process correlation')


def nest(rng, start, end, depth, who):
    """Spans one after the other, each with others within; some begin where the one before ends, or last no time."""
    at = start
    while at < end and rng.random() < 0.9:
        at += rng.choice((0, 0, 1, 7))
        dur = rng.choice((0, 1, rng.randrange(1, 200)))
        if at + dur > end:
            return
        kind = rng.choice(('cpu-op', 'cpu-op', 'annotation', 'nvtx', 'python'))
        yield Span(at, dur if rng.random() < 0.97 else None, kind, rng.choice(NAMES[kind]), *who)
        if depth:
            yield from nest(rng, at, at + dur, depth - 1, who)
        at += dur


def make_rows(rng, n):
    threads = ((1, 1), (1, 2), (2, 3), (2, None))
    spans = [span for _ in range(n) for who in threads for span in nest(rng, 0, 1000, 3, who)] if n < 2 else \
        [span for i in range(n) for span in nest(rng, 1000 * i, 1000 * i + 1000, 3, rng.choice(threads))]
    calls = []
    for i in range(40 * n):
        when, who = rng.randrange(1000 * n), rng.choice((1, 2, 3, None))
        again = calls[i // 2] if i and i % 9 == 0 else None
        calls.append(again._replace(start=when, thread=who) if again else Call(when, rng.choice((1, 2)), rng.choice((1, 2, None)), who, i))
    calls.sort(key=lambda call: call.start)
    first = {c.correlation: c.start for c in reversed(calls)}
    work = [Work(first.get(number, 0) + rng.randrange(-5, 900), rng.choice((None, 5, 50)), rng.choice(('kernel', 'copy', 'sync')), rng.choice((1, 2, None)), number)
            for number in (rng.randrange(45 * n + 1) for _ in range(40 * n))]
    return sorted(spans, key=lambda span: span.start), calls, sorted(work, key=lambda w: w.start)


def launched_later(rows):
    """No work of calls in the first 2,000 ns, which most filters are of: the calls behind tell that it is 0, not unknown."""
    spans, calls, work = rows
    early = {(c.process, c.correlation) for c in calls if c.start < 2000}
    return spans, calls, [w for w in work if (w.process, w.correlation) not in early]


def make(path, schema, rows, page_size):
    spans, calls, work = rows
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany('INSERT INTO string VALUES (?, ?)', enumerate(STRINGS, 1))
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)', ((1, 'cudaLaunchKernel', 'cuda', 'launch', 'other'), (2, 'read', 'syscall', 'read', 'io')))
    db.executemany('INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, ?, 1)', ((1, 10, 'python'), (2, 20, 'sh')))
    db.executemany('INSERT INTO thread (id, tid, process_id) VALUES (?, ?, ?)', ((1, 10, 1), (2, 11, 1), (3, 20, 2)))
    db.execute("INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0)")
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO span (start_ns, dur_ns, kind_id, name_id, state_id, process_id, thread_id, source_id) VALUES (?, ?, ?, ?, 5, ?, ?, 1)',
                   ((s.start, s.dur, ID[s.kind], ID[s.name], s.process, s.thread) for s in spans))
    db.executemany('INSERT INTO call (start_ns, op_id, process_id, thread_id, nested, source_id, correlation) VALUES (?, ?, ?, ?, ?, 1, ?)',
                   ((c.start, c.op, c.process, c.thread, i % 5 == 0, c.correlation) for i, c in enumerate(calls)))
    db.executemany('INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, process_id, correlation, source_id) VALUES (?, ?, 1, ?, 13, ?, ?, 1)',
                   ((w.start, w.dur, ID[w.kind], w.process, w.correlation) for w in work))
    db.commit()
    return db


def within(spans, lane, at, before):
    """The number of the innermost span that is open at that time, of those before one, or of all; of several the last one in order."""
    found = [i for i, s in enumerate(spans[:before]) if (s.thread, s.process if s.thread is None else None) == lane and s.dur and s.start <= at < s.start + s.dur]
    return found[-1] if found else None


def oracle(rows, asked):
    spans, calls, work = rows
    whose = {1, 2, None} if not asked.keys() & {'of_pid', 'of_process'} else {2} if 'of_pid' in asked else {1}
    spans = sorted((s for s in spans if s.dur is not None and s.process in whose and (s.kind in ('cpu-op', 'annotation') or s.kind == 'nvtx' and s.name != 'mine')),
                   key=lambda s: (s.start, -s.dur))
    own = [s.dur for s in spans]
    gpu = [[0, 0] for _ in spans]
    for i, s in enumerate(spans):
        outer = within(spans, (s.thread, s.process if s.thread is None else None), s.start, i)
        if outer is not None:
            own[outer] -= s.dur
    by_number = {}
    for c in calls:
        if c.op == 1 and c.process is not None and c.process in whose:
            by_number.setdefault((c.process, c.correlation), c)
    launched = [(by_number[w.process, w.correlation], w) for w in work if w.kind != 'sync' and (w.process, w.correlation) in by_number]
    for c, w in launched:
        outer = within(spans, (c.thread, None), c.start, len(spans)) if c.thread is not None else None
        if outer is not None:
            gpu[outer][0] += 1
            gpu[outer][1] += w.dur or 0
    groups = {}
    for i, s in enumerate(spans):
        phases = [1 for label, start, end in PHASES if label == asked.get('in_phase', '').lower() and start <= s.start < end]
        if asked.get('since_ns', 0) <= s.start < asked.get('until_ns', 1 << 60) and ('in_phase' not in asked or phases):
            groups.setdefault((ID[s.kind], ID[s.name]), []).append((s.dur, own[i], *gpu[i]))
    for key, of in sorted(groups.items()):
        durs, owns, ops, ns = zip(*of)
        yield (*key, len(of), sum(durs), sum(owns), min(durs), max(durs), *((sum(ops), sum(ns)) if launched else (None, None)))


def statement(asked):
    where = ''.join(f' AND {name} IS {literal(v)}' for name, v in asked.items())
    return f'SELECT {COLUMNS} FROM operator_stat WHERE calls > 0{where} ORDER BY 1, 2'


def differ_held(tracedb, path, db, statements):
    """The file's rows are the answer where it has any: of the whole run, by table and view, and of no part."""
    before = list(ask(tracedb, path, statements[1:]))
    with db:
        db.execute('INSERT INTO operator_sum VALUES (1, 9, 77, 6, 5, 4, 3, NULL, NULL, NULL, NULL), (2, 10, 78, 6, 5, 4, 3, NULL, NULL, NULL, NULL)')
    held = db.execute(f'SELECT {COLUMNS} FROM operator_sum ORDER BY 1').fetchall()
    whole, *parts = ask(tracedb, path, statements)
    wrong = [] if whole == held and db.execute(statements[0]).fetchall() == held else ['held: ' + statements[0]]
    return wrong + ['beside what is held: ' + sql for sql, was, now in zip(statements[1:], before, parts) if now != was]


def differ_parts(tracedb, path, db, rows, statements):
    """The same of parts where the file knows how long after calls their work begins, which bounds what is looked at: what it says wrongly is believed."""
    _, calls, work = rows
    first = {}
    for c in calls:
        if c.op == 1 and c.process is not None:
            first.setdefault((c.process, c.correlation), c.start)
    delays = [w.start - first[w.process, w.correlation] for w in work if w.kind != 'sync' and (w.process, w.correlation) in first]
    expected = [list(oracle(rows, asked)) for asked in FILTERS[1:]]
    if not delays:
        return []
    wrong = []
    for low, high, is_right in ((min(delays), max(delays), True), (min(delays) - 50, max(delays) + 7, True), (1 << 40, 1 << 40, False)):
        with db:
            db.execute('UPDATE operator_sum SET delay_min_ns = ?, delay_max_ns = ?', (low, high))
        differ = [sql for sql, answer, rows_of in zip(statements[1:], ask(tracedb, path, statements[1:]), expected) if answer != rows_of]
        if is_right:
            wrong += [f'delays {low} .. {high}: {sql}' for sql in differ]
        elif not differ and any(row[7] for rows_of in expected for row in rows_of):
            wrong.append('all was looked at')
    return wrong


def main(tracedb, schema, seed='1'):
    def look(rng, path, kind, n, page_size):
        rows = make_rows(rng, n) if kind != 'launched later' else launched_later(make_rows(rng, n))
        db = make(path, Path(schema), rows, page_size)
        with_log(db, kind)
        statements = [statement(asked) for asked in FILTERS]
        wrong = [sql for sql, asked, answer in zip(statements, FILTERS, ask(tracedb, path, statements)) if answer != list(oracle(rows, asked))]
        if db.execute(f'SELECT {COLUMNS} FROM operator_stat ORDER BY 1, 2').fetchall() != list(oracle(rows, {})):
            wrong.append('the view')
        wrong += differ_held(tracedb, path, db, statements)
        wrong += differ_parts(tracedb, path, db, rows, statements)
        db.close()
        return wrong

    return each_case(seed, (('none', 0, 4096), ('one after the other', 1, 4096), ('pages', 60, 512), ('wal', 10, 1024),
                           ('launched later', 10, 1024)), 'times 1,000 ns', look)


sys.exit(main(*sys.argv[1:]))
