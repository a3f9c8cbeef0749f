#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpu_gap, launch_stat and sync_stat against an oracle: the same rows found here, one piece of work at a time, and by the views, which SQLite alone asks.

usage: gpu_tables.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random work and calls are made with the schema alone, with pages so small that there are many, once with a write-ahead log, which
SQLite has to read, and once with a record in the middle that ends early, as one from before its last columns were added to the table: from there
on SQLite has to."""
import sqlite3
import statistics
import sys
from pathlib import Path

from asked import ask, each_case, literal, new_db, with_log

PHASES = (('epoch', 2000, 6000), ('epoch', 9000, 15000), ('epoch 1', 2000, 6000), ('epoch 2', 9000, 15000), ('eval', 5000, 10000))
KERNEL, COPY, SYNC = 1, 2, 3    # string.id
LAUNCH_COLUMNS = ('device_id, phase, since_ns, wall_ns, kernels, total_ns, launches, launch_ns, delay_p50_ns, gaps, gap_ns, starved, starved_ns')
MAX_GAP_NS = 100000


def make_rows(rng, n):
    """Work: (id, start, duration, device, kind, process, correlation); calls: (id, start, duration, process, correlation)."""
    start, work, calls, number = 1000, [], {}, 0
    for i in range(1, n + 1):
        start += rng.choice((0, 1, 3, 10, 10, 200, 150000 if i % 50 == 0 else 2)) + 2000000 * (i % 200 == 0)
        if rng.random() < 0.8:
            number += 1     # else the same graph as before
        process = rng.choice((1, 1, 2, None))
        called = number + (1 << 40 if process == 2 else 0)     # of a process of days
        if rng.random() < 0.7 and process:
            calls.setdefault((process, called), (start - rng.choice((-2, 0, 4, 5, 30, 3000)), rng.choice((None, 0, 3, 9))))
        work.append((2 * i, start, rng.choice((None, 0, 1, 5, 8, 40)), rng.choice((1, 2)), rng.choice((KERNEL, KERNEL, KERNEL, COPY, SYNC)), process,
                     rng.choice((called, called, called, None))))
    return work, [(i, *when, *whose) for i, (whose, when) in enumerate(sorted(calls.items(), key=lambda call: call[1][0]), 1)]


def make(path, schema, work, calls, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany("INSERT INTO device (id, kind, name) VALUES (?, 'gpu', ?)", ((1, 'GPU 0'), (2, 'GPU 1')))
    db.executemany('INSERT INTO string VALUES (?, ?)', ((KERNEL, 'kernel'), (COPY, 'copy'), (SYNC, 'sync'), (4, 'phase'), (5, 'complete'), (6, 'epoch'), (7, 'eval')))
    db.executemany("INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, 'python', 1)", ((1, 10), (2, 20)))
    db.execute("INSERT INTO op VALUES (1, 'cudaLaunchKernel', 'cuda', 'launch', 'other')")
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO span (start_ns, kind_id, name_id, state_id, source_id) VALUES (?, 4, ?, 5, 1)', ((2000, 6), (5000, 7)))
    db.execute('INSERT INTO rank_span SELECT id FROM span')
    db.executemany('INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, process_id, correlation, name_id, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, 6, 1)', work)
    db.executemany('INSERT INTO call (id, start_ns, dur_ns, process_id, correlation, op_id, nested, source_id) VALUES (?, ?, ?, ?, ?, 1, 0, 1)', calls)
    db.commit()
    return db


def shorten(path, work):
    """Writes a piece of work as it would have been by a table that has its first columns only. A schema is read when a file is opened."""
    at = len(work) // 2
    work[at] = (*work[at][:5], None, None)
    db = sqlite3.connect(path)
    db.execute('PRAGMA writable_schema = ON')
    ((whole,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'gpu_op'")
    for sql in ('CREATE TABLE gpu_op (id INTEGER PRIMARY KEY, start_ns INTEGER, dur_ns INTEGER, device_id INTEGER, stream INTEGER, kind_id INTEGER, name_id INTEGER)',
                whole):
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'gpu_op'", (sql,))
        db.commit()
        db.close()
        db = sqlite3.connect(path)
        db.execute('PRAGMA writable_schema = ON')
        if sql != whole:
            db.execute('REPLACE INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id) VALUES (?, ?, ?, ?, ?, 6)', work[at][:5])
    return db


def add_waits(db, rng, end):
    """Calls that wait: (start, duration, operation, process, nested)."""
    db.executemany('INSERT INTO op VALUES (?, ?, ?, ?, ?)',
                   ((2, 'cudaStreamSynchronize', 'cuda', 'wait', 'wait'), (3, 'cudaMemcpy', 'cuda', 'copy', 'other'), (4, 'cudaMemcpyAsync', 'cuda', 'copy', 'other')))
    waits = [(rng.randint(900, end + 5000), rng.choice((None, 5, 9000, 10000, 20000, 300000)), rng.choice((2, 2, 3, 4)), rng.choice((1, 2, 2, 3, None)), int(rng.random() < 0.1))
             for _ in range(60)]
    db.execute("INSERT INTO process (id, pid, name, lifetime) VALUES (3, 30, 'python', 1)")
    calls = db.execute('SELECT start_ns, dur_ns, op_id, process_id, nested, correlation FROM call').fetchall() + [(*wait, None) for wait in waits]
    db.execute('DELETE FROM call')
    db.executemany('INSERT INTO call (start_ns, dur_ns, op_id, process_id, nested, correlation, source_id) VALUES (?, ?, ?, ?, ?, ?, 1)',
                   sorted(calls, key=lambda call: call[0]))
    db.commit()
    return sorted(waits, key=lambda wait: wait[0])


def waits_of(work, waits, since, until, pid, min_ns):
    """Rows of sync_stat, each wait by itself against all work of the GPUs of its process."""
    timed = [row for row in work if row[2] is not None and row[4] != SYNC]
    wall = max(row[1] + row[2] for row in timed) - timed[0][1] if timed else None
    groups = {}
    for start, dur, op, process, nested in waits:
        if op != 4 and not nested and since <= start < until and pid in (None, (process or 0) * 10):
            groups.setdefault((op, process), []).append((start, dur))
    for (op, process), calls in groups.items():
        stalls = [call for call in calls if call[1] is not None and call[1] >= min_ns]
        gpus = {row[3] for row in timed if process is not None and row[5] == process}
        on = [(row[1], row[1] + row[2]) for row in timed if row[3] in gpus]
        idle = after = 0
        for begin, end in ((start, start + dur) for start, dur in stalls):
            reached = begin
            for first, last in on:     # in order of their begin
                if first < end and last > reached:
                    idle += max(0, first - reached)
                    reached = max(reached, last)
            idle += max(0, end - reached)
            nexts = [first for first, _ in on if first >= end]
            if nexts and not any(first < end < last for first, last in on):
                after += nexts[0] - end
        if stalls:
            most = max(dur for _, dur in stalls)
            yield (op, process, len(calls), len(stalls), sum(dur for _, dur in stalls), most, min(start for start, dur in stalls if dur == most),
                   idle if gpus else None, after if gpus else None, wall)


def differ_waits(tracedb, path, db, work, rng):
    end = work[-1][1] if work else 1000
    waits, wrong, parts = add_waits(db, rng, end), [], []
    for since, until, pid, min_ns in ((None, None, None, None), (None, None, None, 0), (end // 3, end // 2, None, 5), (end // 3, end // 2, 10, 0), (end - end // 9, None, None, 0),
                                      (None, end // 9, None, 0), (None, None, 20, 9000)):
        sql = ('SELECT op_id, process_id, calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns, wall_ns FROM sync_stat'
               f' WHERE since_ns IS {literal(since)} AND until_ns IS {literal(until)} AND of_pid IS {literal(pid)} AND min_ns IS {literal(min_ns)}')
        expected = sorted(waits_of(work, waits, since or 0, until or 1 << 62, pid, 10000 if min_ns is None else min_ns), key=str)
        answers = ask(tracedb, path, [sql]) + ([db.execute(sql).fetchall()] if (since, pid, min_ns) == (None,) * 3 else [])
        wrong += [sql for answer in answers if sorted(answer, key=str) != expected]
        parts += [(sql, expected)] if (since, until, pid, min_ns) != (None,) * 4 else []
    wrong += differ_waits_of_processes(tracedb, path, db, work, waits)
    return wrong + differ_held_waits(tracedb, path, db) + differ_parts(tracedb, path, db, work, parts)


def differ_parts(tracedb, path, db, work, parts):
    """The same of parts where the file holds what is told of all work, and only the work about the waits has to be looked at."""
    timed = [row for row in work if row[2] is not None and row[4] != SYNC]
    columns = 'by, device_id, process_id, kind_id, name_id, ops, timed, total_ns, min_ns, max_ns, first_ns, last_ns'
    with db:
        db.execute(f"INSERT INTO gpu_op_stat ({columns}) SELECT {columns} FROM gpu_stat WHERE by = 'device,process,kind,name'")
        db.execute('UPDATE gpu_wait_stat SET wall_ns = ?', (max(row[1] + row[2] for row in timed) - timed[0][1] if timed else None,))
    answers = ask(tracedb, path, [sql for sql, _ in parts])
    return ['a part: ' + sql for (sql, expected), answer in zip(parts, answers) if sorted(answer, key=str) != expected]


def differ_waits_of_processes(tracedb, path, db, work, waits):
    """Those of a pid and of a name, of the file's rows."""
    held = list(waits_of(work, waits, 0, 1 << 62, None, 10000))
    with db:
        db.executemany('INSERT INTO gpu_wait_stat VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)', held)
    asked = [(f'of_pid IS {pid} AND of_process IS {name}', [row for row in held if row[1] and pid in ('NULL', row[1] * 10) and name in ('NULL', "'python'")])
             for pid in (10, 20, 30, 99, 'NULL') for name in ("'python'", "'none'", 'NULL') if (pid, name) != ('NULL', 'NULL')]
    columns = 'op_id, process_id, calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns, wall_ns'
    answers = ask(tracedb, path, [f'SELECT {columns} FROM sync_stat WHERE {whose}' for whose, _ in asked])
    with db:
        db.execute('DELETE FROM gpu_wait_stat')
    return ['held: sync_stat, ' + whose for (whose, expected), answer in zip(asked, answers) if sorted(answer, key=str) != sorted(expected, key=str)]


def differ_held_waits(tracedb, path, db):
    """The file's rows are the answer where it has any: to the usual question, by table and view, of any processes, and to no other."""
    usual = 'SELECT op_id, calls, idle_ns, wall_ns FROM sync_stat WHERE since_ns IS NULL AND of_pid IS NULL AND min_ns IS '
    of_pids = [usual.replace('of_pid IS NULL', f'of_pid IS {pid}') + 'NULL' for pid in (10, 20)]
    other = [usual + '11000', usual.replace('of_pid IS NULL', 'of_pid IS 20') + '9999', usual.replace('since_ns IS NULL', 'since_ns IS 1') + 'NULL']
    before = list(ask(tracedb, path, other))
    with db:
        db.execute('INSERT INTO gpu_wait_stat VALUES (2, 1, NULL, 77, 2, 3, 4, 5, NULL, NULL, 8), (3, NULL, NULL, 78, 2, 3, 4, 5, 6, 7, 8)')
    held = [(2, 77, None, 8), (3, 78, 6, 8)]
    answers = [*ask(tracedb, path, [usual + 'NULL', usual + '10000']), db.execute(usual + 'NULL').fetchall()]
    wrong = ['held: ' + usual for answer in answers if answer != held]
    wrong += ['held: ' + sql for sql, answer, rows in zip(of_pids, ask(tracedb, path, of_pids), (held[:1], [])) if answer != rows]
    return wrong + ['beside what is held: ' + sql for sql, was, now in zip(other, before, ask(tracedb, path, other)) if now != was]


def with_idle(work):
    """Work that counts, each with the time from which on its GPU had none."""
    reached = {}
    for row in work:
        _, start, dur, device, kind, _, _ = row
        if dur is not None and kind != SYNC:
            yield row, reached.get(device)
            reached[device] = max(reached.get(device, start + dur), start + dur)


def gaps(work, shortest):
    return [(row[0], row[3], idle, row[1] - idle) for row, idle in with_idle(work) if idle is not None and row[1] - idle >= max(shortest, 1)]


def launches(work, calls, phase, max_gap):
    """Rows of launch_stat. The view's phases are those of spans by name: 'epoch' and 'eval'."""
    of = {(process, number): (start, dur) for _, start, dur, process, number in calls}
    intervals = [(None, '(run)', -1 << 62, 1 << 62)] if phase is None else []
    intervals += [(start, label, start, end) for label, start, end in PHASES if label == phase or phase is None and label in ('epoch', 'eval')]
    counted, groups, spans = set(), {}, {}
    for row, idle in with_idle(work):
        _, start, dur, device, kind, process, number = row
        begin, end = spans.get(device, (start, 0))
        spans[device] = (begin, max(end, start + dur))
        if kind != KERNEL:
            continue
        call = of.get((process, number))
        first = call is not None and (device, process, number) not in counted
        counted.add((device, process, number))
        gap = start - idle if idle is not None and 0 < start - idle <= max_gap else None
        for _, label, begin, end in intervals:
            if begin <= start < end:
                groups.setdefault((device, label), []).append((start, dur, gap, call, first, idle))
    for (device, label), rows in groups.items():
        mine = [(since, max(0, min(end, spans[device][1]) - max(begin, spans[device][0]))) for since, name, begin, end in intervals if name == label]
        delays = [start - call[0] for start, _, _, call, _, _ in rows if call]
        took = [call[1] for _, _, _, call, first, _ in rows if first and call[1] is not None]
        idle_gaps = [gap for _, _, gap, _, _, _ in rows if gap is not None]
        starved = [gap for _, _, gap, call, _, idle in rows if gap is not None and call and call[0] >= idle]
        yield (device, label, mine[0][0], sum(wall for _, wall in mine), len(rows), sum(dur for _, dur, _, _, _, _ in rows), len(took) if delays else None,
               sum(took) if took else None, statistics.median(delays) if delays else None, len(idle_gaps), sum(idle_gaps),
               len(starved) if delays else None, sum(starved) if delays else None)


def in_order(rows):
    return sorted(rows, key=lambda row: row[:2])


def questions(work, calls):
    """(statement, what the oracle says, is it for the view, too)."""
    for shortest in (0, 5, 200, 100001, 1000000):
        yield f'SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns >= {shortest}', gaps(work, shortest), True
    yield 'SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns = 2', [gap for gap in gaps(work, 0) if gap[3] == 2], True
    yield 'SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns >= 4.5', gaps(work, 5), True
    for phase in (None, 'epoch', 'epoch 2', 'none'):
        for max_gap in (None, 0, 3, 1000000):
            yield (f'SELECT {LAUNCH_COLUMNS} FROM launch_stat WHERE in_phase IS {literal(phase)} AND max_gap_ns IS {literal(max_gap)}',
                   list(launches(work, calls, phase, MAX_GAP_NS if max_gap is None else max_gap)), phase is None and max_gap is None)


def differ(tracedb, path, db, work, calls):
    """Statements whose answers are not those of the oracle."""
    wrong, asked = [], list(questions(work, calls))
    for answer, (sql, expected, by_view) in zip(ask(tracedb, path, [sql for sql, _, _ in asked]), asked):
        answers = [answer] + ([db.execute(sql).fetchall()] if by_view else [])
        if any(in_order(found) != in_order(expected) for found in answers):
            wrong.append(sql)
    return wrong + differ_held(tracedb, path, db, work) + differ_held_launches(tracedb, path, db)


def differ_held_launches(tracedb, path, db):
    """The file's rows are the answer where it has any: to the usual question, by table and view, to that of a kind of phase, and to no other."""
    usual = f'SELECT {LAUNCH_COLUMNS} FROM launch_stat WHERE in_phase IS NULL AND max_gap_ns IS '
    of_phase = [usual.replace('IS NULL', f"IS '{phase}'") + 'NULL' for phase in ('Epoch', 'epoch 2', 'eval', '(run)')]
    other = [usual + '99999', of_phase[0].replace('max_gap_ns IS NULL', 'max_gap_ns IS 99999'), *of_phase[1:]]
    before = list(ask(tracedb, path, other))
    held = [(1, '(run)', None, 9, 8, 7, 6, 5, 4.5, 3, 2, 1, 0), (2, 'epoch', 3, 9, 8, 7, None, None, None, 3, 2, None, None)]
    with db:
        db.executemany('INSERT INTO launch_sum VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)', held)
    answers = [*ask(tracedb, path, [usual + 'NULL', usual + '100000']), db.execute(usual + 'NULL').fetchall()]
    wrong = ['held: ' + usual for answer in answers if in_order(answer) != held]
    wrong += ['held: ' + sql for sql in of_phase[:1] for answer in ask(tracedb, path, [sql]) if answer != held[1:]]
    return wrong + ['beside what is held: ' + sql for sql, was, now in zip(other, before, ask(tracedb, path, other)) if now != was]


def differ_phases(tracedb, path, db, work, calls):
    """Of a phase the same where the file knows how long after their calls kernels begin, and looks only as far: what it says wrongly is believed."""
    timed = [row for row in work if row[2] is not None]
    starts = {(process, number): start for _, start, _, process, number in calls}
    delays = {}
    for _, start, _, device, kind, process, number in timed:
        if kind == KERNEL and (process, number) in starts:
            delays.setdefault(device, []).append(start - starts[process, number])
    held = [(*row, min(delays[row[0]]), max(delays[row[0]])) for row in launches(timed, calls, None, MAX_GAP_NS) if row[1] == '(run)'] if delays else []
    columns = 'by, device_id, process_id, kind_id, name_id, ops, timed, total_ns, min_ns, max_ns, first_ns, last_ns'
    with db:
        db.execute('DELETE FROM launch_sum')
        db.execute('DELETE FROM gpu_op WHERE dur_ns IS NULL')
        db.execute('DELETE FROM gpu_op_stat')
        db.execute(f"INSERT INTO gpu_op_stat ({columns}) SELECT {columns} FROM gpu_stat WHERE by = 'device,process,kind,name'")
        db.executemany(f'INSERT INTO launch_sum VALUES ({", ".join("?" * 15)})', held)
    asked = [(f'SELECT {LAUNCH_COLUMNS} FROM launch_stat WHERE in_phase IS {literal(phase)} AND max_gap_ns IS {literal(max_gap)}',
              list(launches(timed, calls, phase, MAX_GAP_NS if max_gap is None else max_gap)))
             for phase in ('epoch', 'epoch 1', 'epoch 2', 'eval', 'none') for max_gap in (None, 0, 3, 1000000)]

    def ask_all():
        return [sql for answer, (sql, expected) in zip(ask(tracedb, path, [sql for sql, _ in asked]), asked) if in_order(answer) != in_order(expected)]

    wrong, has_calls = ask_all(), any(row[6] for _, expected in asked for row in expected)
    with db:
        db.execute('UPDATE launch_sum SET delay_min_ns = 1 << 40, delay_max_ns = 1 << 40')
    return ['phases: ' + sql for sql in wrong] + (['phases: all was looked at'] if has_calls and not ask_all() else [])


def differ_held(tracedb, path, db, work):
    """The same of long gaps when the file holds them, and that they are looked up: one that is not there is not found."""
    wrong = []
    with db:
        db.execute('INSERT INTO gpu_long_gap SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns >= 1000000')
    if in_order(db.execute('SELECT * FROM gpu_long_gap').fetchall()) != in_order(gaps(work, 1000000)):
        wrong.append('view: gpu_gap')
    for _ in range(2):
        held = db.execute('SELECT * FROM gpu_long_gap').fetchall()
        for shortest in (1000000, 2000001) if held else ():
            sql = f'SELECT id, device_id, start_ns, dur_ns FROM gpu_gap WHERE dur_ns >= {shortest}'
            expected = [gap for gap in held if gap[3] >= shortest]
            if any(in_order(found) != in_order(expected) for found in ask(tracedb, path, [sql])):
                wrong.append('held: ' + sql)
        with db:
            db.execute('DELETE FROM gpu_long_gap WHERE id = (SELECT max(id) FROM gpu_long_gap)')
    return wrong


def main(tracedb, schema, seed='1'):
    def look(rng, path, kind, n, page_size):
        work, calls = make_rows(rng, n)
        db = make(path, Path(schema), work, calls, page_size)
        with_log(db, kind)
        if kind == 'short':
            db.close()
            db = shorten(path, work)
        wrong = differ(tracedb, path, db, work, calls) + differ_waits(tracedb, path, db, work, rng)
        wrong += differ_phases(tracedb, path, db, work, calls)
        db.close()
        return wrong

    return each_case(seed, (('none', 0, 4096), ('pages', 2500, 512), ('wal', 600, 1024), ('short', 600, 512)), 'pieces of work', look)


sys.exit(main(*sys.argv[1:]))
