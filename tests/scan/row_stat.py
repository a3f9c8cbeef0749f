#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""block_stat, sched_stat and gpu_stat against an oracle: the same questions answered here from the same rows, one at a time.

usage: row_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random rows are made with the schema alone, with pages so small that several threads read them, once with a write-ahead log, which
SQLite has to read. Each is asked random questions: by some of what there is, in a time, phase and process. Groupings of the whole run that the
views know are also asked of the views, by SQLite alone, and once more when the file holds them in a table."""
import math
import random
import sys
import tempfile
from pathlib import Path

from asked import ask, new_db

QUESTIONS = 25
PROCESSES = ((1, 10, 'python', 'loader'), (2, 11, 'python', 'loader'), (3, 12, 'train', 'gpu-worker'), (4, 13, None, None))
THREADS = {1: 1, 2: 1, 3: 3, 4: None}
PHASES = (('epoch', 2000, 4000), ('epoch', 5000, 9000), ('epoch 1', 2000, 4000), ('eval', 3500, 5500))
DIRECTIONS = ('read', 'write', 'other')
BIN_NS = 700
# Columns of the tables in their order; of each relation: columns of what it can be grouped by, name of the count, measures beside those that all have.
TABLES = {
    'block_stat': ('block_request', 'id, start_ns, dur_ns, queue_ns, device_id, op, sector, bytes, process_id',
                   {'device': 'device_id', 'direction': 'direction', 'process': 'process_id', 'role': 'role', 'bin': 'bin_ns', 'latency': 'low_ns',
                    'size': 'low_bytes', 'seek': 'seek_bytes'}, 'requests', ('bytes', 'queued', 'queue_ns', 'sequential', 'forward', 'backward')),
    'sched_stat': ('sched_slice', 'id, start_ns, dur_ns, thread_id, cpu, state_id, reason_id',
                   {'process': 'process_id', 'role': 'role', 'thread': 'thread_id', 'state': 'state_id', 'reason': 'reason_id', 'bin': 'bin_ns',
                    'latency': 'low_ns', 'octave': 'octave_ns'}, 'slices', ()),
    'gpu_stat': ('gpu_op', 'id, start_ns, dur_ns, device_id, stream, kind_id, name_id, bytes, process_id',
                 {'device': 'device_id', 'process': 'process_id', 'role': 'role', 'kind': 'kind_id', 'name': 'name_id', 'bin': 'bin_ns',
                  'latency': 'low_ns', 'size': 'low_bytes', 'bytes': 'each_bytes'}, 'ops', ('bytes', 'stddev_ns')),
}
COMMON = ('timed', 'total_ns', 'min_ns', 'max_ns', 'p50_ns', 'p95_ns', 'p99_ns', 'first_ns', 'last_ns')
VIEWS = {'block_stat': (('device',), ('device', 'direction'), ('device', 'direction', 'process'), ('device', 'direction', 'seek')),
         'sched_stat': (('thread', 'state'), ('thread', 'state', 'reason'), ('thread', 'state', 'octave'), ('thread', 'state', 'latency')),
         'gpu_stat': (('kind',), ('kind', 'name'), ('process', 'kind', 'name'), ('device', 'process', 'kind', 'name'), ('device', 'kind', 'name', 'bytes'))}

# the tables that hold them
HELD = {'block_stat': 'block_request_stat', 'sched_stat': 'sched_slice_stat', 'gpu_stat': 'gpu_op_stat'}


def make_rows(rng, relation, n):
    start, rows, end = 1000, [], {}
    for i in range(1, n + 1):
        start += rng.choice((0, 1, 1, 3, 10))
        row = {'id': i * 2, 'start_ns': start, 'dur_ns': rng.choice((None, 0, 7, 16, 100, rng.randint(1, 1000), rng.randint(1, 1 << 33))),
               'queue_ns': rng.choice((None, 0, 5)), 'device_id': rng.choice((1, 2, 3) if relation == 'gpu_stat' else (1, 2, None)),
               'op': rng.randrange(3), 'sector': None, 'bytes': rng.choice((None, 0, 512, 4096)), 'process_id': rng.choice((None, 1, 2, 3, 4)),
               'thread_id': rng.choice((None, 1, 2, 3, 4)), 'cpu': 0, 'state_id': rng.randint(1, 3), 'reason_id': rng.choice((None, 4, 5)),
               'stream': 7, 'kind_id': rng.randint(1, 2), 'name_id': rng.randint(3, 6)}
        row['sector'] = rng.choice((None, end.get(row['device_id'], 0), rng.randint(0, 1 << 30)))
        if row['sector'] is not None and row['bytes']:
            end[row['device_id']] = row['sector'] + row['bytes'] // 512
        rows.append(row)
    return rows


def make(path, rng, schema, relation, n, page_size):
    table, columns = TABLES[relation][:2]
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', ?)", (BIN_NS,))
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany("INSERT INTO device (id, kind, name) VALUES (?, 'disk', ?)", ((i, f'd{i}') for i in (1, 2, 3)))
    db.executemany('INSERT INTO string VALUES (?, ?)', ((i, f's{i}') for i in range(1, 7)))
    db.executemany('INSERT INTO process (id, pid, name, role, lifetime) VALUES (?, ?, ?, ?, 1)', PROCESSES)
    db.executemany('INSERT INTO thread (id, tid, process_id) VALUES (?, ?, ?)', ((i, i, p) for i, p in THREADS.items()))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    rows = make_rows(rng, relation, n)
    places = ', '.join(':' + name for name in columns.split(', '))
    db.executemany(f'INSERT INTO {table} ({columns}, source_id) VALUES ({places}, 1)', rows)
    db.commit()
    return db, rows


def floor_2(value):
    return 1 << value.bit_length() - 1 if value else 0


def periods(asked):
    """Disjoint, in order of time; what lies between two of them is not looked at."""
    since, until = asked.get('since_ns', -math.inf), asked.get('until_ns', math.inf)
    spans = [(s, e) for label, s, e in PHASES if label == asked.get('in_phase')] if 'in_phase' in asked else [(-math.inf, math.inf)]
    return [(max(s, since), min(e, until)) for s, e in sorted(spans)]


def chosen(rows, asked):
    """Rows that count, with what follows from others: the distance to the request before, of any process, in the same period."""
    people = {i: (pid, name, role) for i, pid, name, role in PROCESSES}
    for begin, stop in periods(asked):
        ends = {}
        for row in rows:
            if not begin <= row['start_ns'] < stop:
                continue
            owner = THREADS.get(row['thread_id']) if asked['relation'] == 'sched_stat' else row['process_id']
            found = dict(row, process_id=owner, role=people.get(owner, (None,) * 3)[2], direction=DIRECTIONS[row['op']], step=None)
            if row['sector'] is not None and row['bytes']:
                before = ends.get(row['device_id'])
                found['step'] = None if before is None else row['sector'] - before
                ends[row['device_id']] = row['sector'] + row['bytes'] // 512
            pid, name, role = people.get(owner, (None,) * 3)
            if asked.get('of_pid', pid) == pid and asked.get('of_process', name) in (name, role):
                if 'of_pid' not in asked and 'of_process' not in asked or owner is not None:
                    yield found


def key_of(row, dim, column):
    if dim == 'bin':
        return row['start_ns'] // BIN_NS * BIN_NS
    if dim == 'latency':
        dur = row['dur_ns']
        return dur if dur is None or dur < 16 else dur >> dur.bit_length() - 4 << dur.bit_length() - 4
    if dim == 'octave':
        return None if row['dur_ns'] is None else floor_2(row['dur_ns'])
    if dim == 'size':
        return None if row['bytes'] is None else floor_2(row['bytes'])
    if dim == 'bytes':
        return row['bytes']
    if dim == 'seek':
        return None if row['step'] is None else 512 * floor_2(abs(row['step']))
    return row[column]


def total(values):
    known = [v for v in values if v is not None]
    return sum(known) if known else None


def measures(rows, count):
    durs = sorted(r['dur_ns'] for r in rows if r['dur_ns'] is not None)
    steps = [r['step'] for r in rows]
    n = len(durs)
    mean = sum(durs) / n if n else 0
    rank = lambda percent: durs[(n * percent + 99) // 100 - 1] if n else None
    return {
        count: len(rows), 'timed': n, 'total_ns': sum(durs) if n else None, 'min_ns': durs[0] if n else None, 'max_ns': durs[-1] if n else None,
        'p50_ns': (durs[(n - 1) // 2] + durs[n // 2]) / 2 if n else None, 'p95_ns': rank(95), 'p99_ns': rank(99),
        'stddev_ns': None if not n else math.sqrt(sum((d - mean) ** 2 for d in durs) / (n - 1)) if n > 1 else 0.0,
        'bytes': total(r['bytes'] for r in rows), 'queued': sum(r['queue_ns'] is not None for r in rows), 'queue_ns': total(r['queue_ns'] for r in rows),
        'sequential': total(None if s is None else s == 0 for s in steps), 'forward': total(None if s is None else s > 0 for s in steps),
        'backward': total(None if s is None else s < 0 for s in steps), 'first_ns': rows[0]['start_ns'], 'last_ns': rows[-1]['start_ns']}


def oracle(rows, asked, dims, wanted):
    _, _, columns, count, _ = TABLES[asked['relation']]
    groups = {}
    for row in chosen(rows, asked):
        groups.setdefault(tuple(key_of(row, dim, columns[dim]) for dim in dims), []).append(row)
    return [key + tuple(measures(group, count)[m] for m in wanted) for key, group in groups.items()]


def same(a, b):
    close = lambda x, y: x == y or (x is not None and y is not None and not isinstance(x, str) and math.isclose(x, y, rel_tol=1e-9))
    order = lambda row: tuple((v is not None, str(v)) for v in row[:1 + len(row) // 2])
    a, b = sorted(a, key=order), sorted(b, key=order)
    return len(a) == len(b) and all(len(x) == len(y) and all(map(close, x, y)) for x, y in zip(a, b))


def question(rng, relation):
    _, _, columns, count, more = TABLES[relation]
    dims = tuple(d for d in columns if rng.random() < 0.3)
    wanted = tuple(m for m in (count, *COMMON, *more) if rng.random() < 0.6) or (count,)
    asked = {'relation': relation}
    since = rng.randint(900, 6000)
    for name, value in (('since_ns', since), ('until_ns', since + rng.randint(0, 4000)), ('in_phase', rng.choice(('epoch', 'epoch 1', 'eval', 'none'))),
                        ('of_pid', rng.choice((10, 12, 99))), ('of_process', rng.choice(('python', 'loader', 'train')))):
        if rng.random() < 0.3:
            asked[name] = value
    return dims, wanted, asked


def sql_of(dims, wanted, asked):
    columns = TABLES[asked['relation']][2]
    given = ''.join(f" AND {name} = '{value}'" if isinstance(value, str) else f' AND {name} = {value}' for name, value in asked.items() if name != 'relation')
    return f"SELECT {', '.join([columns[d] for d in dims] + list(wanted))} FROM {asked['relation']} WHERE by = '{','.join(dims) or 'all'}'{given}"


def differ(tracedb, path, db, rows, rng, relation):
    asked = [question(rng, relation) for _ in range(QUESTIONS)]
    held = []
    for dims in VIEWS[relation]:
        _, _, _, count, more = TABLES[relation]
        wanted = tuple(m for m in (count, *COMMON, *more) if not (m.startswith('p') and ('seek' in dims or 'bytes' in dims or relation == 'sched_stat')))
        held.append((dims, wanted, {'relation': relation}))
    statements = [sql_of(*one) for one in asked + held]
    expected = [oracle(rows, of, dims, wanted) for dims, wanted, of in asked + held]
    wrong = [sql for sql, answer, want in zip(statements, ask(tracedb, path, statements), expected) if not same(answer, want)]
    wrong += ['view: ' + sql for sql, want in list(zip(statements, expected))[len(asked):] if not same(db.execute(sql).fetchall(), want)]
    return wrong + (differ_held(tracedb, path, db, rows, relation, held) if relation in HELD else [])


def differ_held(tracedb, path, db, rows, relation, held):
    """The same when the file holds them, of the whole run and of a process; and that they are looked up: a number that the rows do not have is told."""
    table, count = HELD[relation], TABLES[relation][3]
    columns = ', '.join(name for _, name, *_ in db.execute(f'PRAGMA table_info({table})'))
    db.execute(f'INSERT OR IGNORE INTO {table} ({columns}) SELECT {columns} FROM {relation}')  # not those that it may not have
    db.commit()
    kept = {by for by, in db.execute(f'SELECT DISTINCT by FROM {table}')}
    asked = held + [(dims, wanted, dict(of, of_pid=10)) for dims, wanted, of in held]
    statements = [sql_of(*one) for one in asked]
    wrong = ['held: ' + sql for sql, answer, (dims, wanted, of) in zip(statements, ask(tracedb, path, statements), asked)
             if not same(answer, oracle(rows, of, dims, wanted))]
    wrong += ['held, view: ' + sql for sql, (dims, wanted, of) in zip(statements, held) if not same(db.execute(sql).fetchall(), oracle(rows, of, dims, wanted))]
    db.execute(f'UPDATE {table} SET {count} = 77')
    db.commit()
    statements = [sql_of(dims, (count,), of) for dims, _, of in held if not rows or ','.join(dims) in kept]
    return wrong + ['looked up: ' + sql for sql, answer in zip(statements, ask(tracedb, path, statements)) if {row[-1] for row in answer} - {77}]


def main(tracedb, schema, seed='1'):
    failed = 0
    cases = [(relation, n, page_size, wal) for relation in TABLES for n, page_size, wal in ((0, 4096, False), (3000, 512, False), (800, 1024, True))]
    print(f'1..{len(cases)}')
    with tempfile.TemporaryDirectory() as folder:
        for i, (relation, n, page_size, wal) in enumerate(cases, 1):
            rng = random.Random(f'{seed} {i}')
            path = Path(folder) / f'{i}.db'
            db, rows = make(path, rng, Path(schema), relation, n, page_size)
            if wal:
                db.execute('PRAGMA journal_mode = WAL')
            wrong = differ(tracedb, path, db, rows, rng, relation)
            db.close()
            print(f"{'not ' if wrong else ''}ok {i} - {relation}, {n} rows, pages of {page_size}{', wal' if wal else ''}: {len(wrong)} answers differ")
            for sql in wrong[:3]:
                print('#', sql)
            failed += bool(wrong)
    return failed > 0


sys.exit(main(*sys.argv[1:]))
