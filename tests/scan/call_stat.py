#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""call_stat and io_stat against an oracle: the same questions answered here from the same rows, one at a time.

usage: call_stat.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls are made with the schema alone: calls without duration, file, process or offset, nested and
unfinished ones, durations of years; pages so small that the b-tree is several deep; one with a write-ahead log, which has to be
read through SQLite, and one whose pages lie in no order. Each is asked random questions: by some of
what there is, in a time, phase, process and file, of some ids only, with all measures or some. One says that its derived tables hold nothing of
what they could: it is also asked for just that, without filters, by tracedb and by SQLite alone, with the views."""
import bisect
import json
import math
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from asked import new_db, tell_files

QUESTIONS = 25
DIMS = ('file', 'template', 'directory', 'class', 'storage', 'process', 'role', 'thread', 'op', 'verb', 'waits', 'phase', 'bin', 'nested', 'latency', 'size')
COLUMN = {'file': 'file_id', 'template': 'template_id', 'directory': 'directory_id', 'process': 'process_id',
          'thread': 'thread_id', 'op': 'op_id', 'bin': 'bin_ns', 'latency': 'low_ns', 'size': 'low_bytes'}
MEASURES = ('calls', 'errors', 'timed', 'done_bytes', 'total_ns', 'min_ns', 'max_ns', 'p50_ns', 'p95_ns', 'p99_ns', 'stddev_ns',
            'min_bytes', 'p50_bytes_low', 'max_bytes', 'sequential', 'random', 'first_ns', 'last_ns', 'nested_calls', 'unfinished',
            'during_calls', 'during_ns', 'files', 'busiest_file_id', 'busiest_ns')
OPS = ((1, 'read', 'read', 'io'), (2, 'pread64', 'read', 'io'), (3, 'write', 'write', 'io'), (4, 'openat', 'open', 'io'),
       (5, 'futex', 'lock', 'lock'), (6, 'sendto', 'socket', 'io'), (7, 'fsync', 'sync', 'io'))
PROCESSES = ((1, 10, 'python', 'loader'), (2, 11, 'python', 'loader'), (3, 12, 'train', 'gpu-worker'), (4, 13, None, None))
OP_OF, PROCESS_OF = {op[0]: op for op in OPS}, {process[0]: process for process in PROCESSES}
PHASES = (('epoch', 2000, 4000), ('epoch', 5000, 9000), ('epoch 1', 2000, 4000), ('epoch 2', 5000, 9000), ('eval', 3500, 5500))
BIN_NS = 700
# What the derived tables can hold, and with which measures: schema/views.sql.
IO_HELD = ('calls', 'errors', 'timed', 'done_bytes', 'total_ns', 'max_ns', 'p50_ns', 'p99_ns', 'min_bytes', 'p50_bytes_low', 'max_bytes',
           'sequential', 'random', 'first_ns', 'last_ns')
BIN_HELD = ('calls', 'errors', 'done_bytes')
HELD = [('call_stat', ('file', 'process', 'op', 'bin'), BIN_HELD), ('io_stat', ('process', 'verb'), IO_HELD)] + [
    ('io_stat', (key, *process, 'verb'), IO_HELD) for key in ('file', 'template', 'directory', 'class') for process in ((), ('process',))]
WAITS_HELD = [('io_stat', ('file', *process, 'verb', 'waits'), IO_HELD) for process in ((), ('process',))] + [
    ('io_stat', (*process, 'verb', 'waits'), [m for m in IO_HELD if not m.startswith('p')]) for process in ((), ('process',))]
IN_COMMON = ['calls', 'errors', 'done_bytes', 'total_ns', 'max_ns', 'files', 'busiest_file_id', 'busiest_ns']
BUCKETS_HELD = [(table, dims, ('calls', 'done_bytes', 'total_ns')) for table, dims in (
    ('call_stat', ('op', 'latency')), ('call_stat', ('op', 'size')), ('io_stat', ('template', 'verb', 'size')), ('io_stat', ('process', 'verb', 'size')))]
THREADS_HELD = [('call_stat', ('class', 'process', 'thread', 'op'), ('calls', 'errors', 'total_ns', 'first_ns', 'last_ns'))]
BUSIEST_HELD = ('calls', 'errors', 'done_bytes', 'total_ns', 'max_ns')
IN_COMMON_HELD = [('io_stat', ('directory', 'class', 'storage', *rest), IN_COMMON) for rest in ((), ('verb',), ('process',), ('process', 'verb'))] + [
    ('io_stat', ('class', 'process'), IN_COMMON)]
OF_BINS_HELD = [('call_stat', ('class', 'op', 'bin'), BIN_HELD)]
# Numbers of devices: a disk, an overlay, unknown, one above those that there are.
DEVICES = (8 << 20 | 3, 259 << 20, 44, 0, None, 1 << 45)
# What waits for somebody, and what looks like it: path, name, class.
WAITED = (('/dev/pts/3', '3', 'terminal'), ('/dev/tty1', 'tty1', 'terminal'), (None, '7', 'terminal'), (None, '', 'unnamed'), ('', '4', 'terminal'),
          (None, 'x', 'socket'), (None, 'x', 'eventfd'), (None, 'x', 'anon-inode'), (None, 'pipe:[1]', 'pipe'))
NOT_WAITED = (('/dev/null', 'null', 'device'), ('/dev/ttyS0', 'ttyS0', 'device'), ('/dev/tty', 'x', 'regular'), (None, '', 'device'), (None, 'pts', 'device'), (None, '8', 'regular'), (None, 'x', 'shm'))


def files(rng, n):
    """(id, path, name, class, directory_id, template_id, device); ids are not dense."""
    named = [(f'/data/{i % 3}/f{i}' if i % 4 else None, f'f{i}', rng.choice(('regular', 'shm', 'pipe'))) for i in range(1, n + 1)]
    named += rng.sample(WAITED + NOT_WAITED, 5)
    return [(i * rng.randint(1, 3) + 100 * i, *name, i % 3 + 1 if i % 4 else None, 10 + i % 5, rng.choice(DEVICES)) for i, name in enumerate(named, 1)]


def calls(rng, n, all_files):
    start, rows = 1000, []
    for i in range(1, n + 1):
        start += rng.choice((0, 1, 1, 3, 10))
        done = rng.choice((None, 0, 1, 100, 4096, 65536, rng.randint(1, 1 << 40)))
        rows.append({
            'id': i, 'start': start,
            'dur': rng.choice((None, 0, 7, rng.randint(1, 1000), rng.randint(1, 1 << 31), rng.choice((1 << 32, (1 << 32) - 1, 1 << 45, 1 << 54)))),
            'op': rng.choice(OPS)[0], 'process': rng.choice(PROCESSES + ((None,),))[0], 'thread': rng.choice((None, 1, 2, 3)),
            'file': rng.choice(all_files + [(None,)])[0], 'ret': rng.choice((None, -2, -110, 0, 5, 1 << 33)), 'done': done,
            'offset': rng.choice((None, 0, 0, 100, 4096, 8192)), 'nested': rng.random() < 0.2, 'unfinished': rng.random() < 0.05})
    return rows


def make(path, rng, schema, n, page_size):
    db = new_db(path, schema, page_size)
    all_files = files(rng, 12)
    rows = calls(rng, n, all_files)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, ?, 0, 'given', ?)", (rows[-1]['start'] + 1 if rows else 1000, BIN_NS))
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.executemany("INSERT INTO op VALUES (?, ?, 'syscall', ?, ?)", OPS)
    db.executemany('INSERT INTO process (id, pid, name, role, lifetime) VALUES (?, ?, ?, ?, 1)', PROCESSES)
    db.executemany('INSERT INTO thread (id, tid) VALUES (?, ?)', ((i, i) for i in (1, 2, 3)))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany("INSERT INTO file (id, path, name, class, class_known, directory_id, template_id, device, truncated) VALUES (?, ?, ?, ?, 1, ?, ?, ?, 0)", all_files)
    db.executemany(
        'INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, file_id, ret, asked_bytes, done_bytes, offset_bytes, fd, nested, unfinished, source_id)'
        ' VALUES (:id, :start, :dur, :op, :process, :thread, :file, :ret, :done, :done, :offset, 3, :nested, :unfinished, 1)', rows)
    blocks(db, rows, rng.randint(1, 50))
    db.commit()
    tell_files(db)
    return db, rows, {f[0]: f for f in all_files}


def blocks(db, rows, size):
    """Calls that begin at the same time are in the same block."""
    found = []
    for row in rows:
        if found and (row['id'] - found[-1][1] < size or row['start'] == last):
            found[-1][2] = row['id']
        else:
            found.append([row['start'], row['id'], row['id']])
        last = row['start']
    db.executemany('''INSERT INTO call_block
        SELECT ?1, ?2, ?3, count(*), max(start_ns + dur_ns), (SELECT id FROM call WHERE nested = 0 AND id BETWEEN ?2 AND ?3 ORDER BY dur_ns DESC, id),
            max(dur_ns)
        FROM call WHERE nested = 0 AND id BETWEEN ?2 AND ?3''', found)


# --- the oracle ---

def low_bytes(n):
    return None if n is None else 0 if n == 0 else 1 << (n.bit_length() - 1)


def low_ns(n):
    """Eight buckets for each power of two, one for each below 8."""
    if n is None or n < 8:
        return n
    step = 1 << (n.bit_length() - 4)
    return n // step * step


# What a call is by each of them: of it, its file, operation and process, and the widths asked for.
KEYS = {
    'file': lambda row, file, op, process, width: row['file'],
    'template': lambda row, file, op, process, width: file and file[5],
    'directory': lambda row, file, op, process, width: file and file[4],
    'class': lambda row, file, op, process, width: file and file[3],
    'storage': lambda row, file, op, process, width: file and (None if file[6] is None else 'disk' if file[6] >= 1 << 20 else 'no disk'),
    'process': lambda row, file, op, process, width: row['process'],
    'role': lambda row, file, op, process, width: process and process[3],
    'thread': lambda row, file, op, process, width: row['thread'],
    'op': lambda row, file, op, process, width: row['op'],
    'verb': lambda row, file, op, process, width: op[2],
    'waits': lambda row, file, op, process, width: int(op[2] == 'socket' or bool(file) and (file[3] == 'pipe' or file[1:4] in WAITED)),
    'bin': lambda row, file, op, process, width: row['start'] // width * width,
    'nested': lambda row, file, op, process, width: int(row['nested']),
    'latency': lambda row, file, op, process, width: low_ns(row['dur']),
    'size': lambda row, file, op, process, width: low_bytes(row['done']),
}


def parts(row, dims, all_files, labels):
    """Keys of a call: as many as there are phases that it is in, if it is asked by phase."""
    about = row, all_files.get(row['file']), OP_OF[row['op']], PROCESS_OF.get(row['process']), labels['width']
    phases = sorted({p[0] for p in PHASES if p[1] <= row['start'] < p[2]}) if 'phase' in dims else [None]
    if 'phase' in dims and labels['phase']:
        phases = [p for p in phases if p.lower() == labels['phase'].lower()]
    values = {d: KEYS[d](*about) for d in dims if d != 'phase'}
    return [tuple(phase if d == 'phase' else values[d] for d in dims) for phase in phases]


# Whether a call counts: by the value asked for, the call, its process and its file. What is not here leaves nothing out.
CONDITIONS = {
    'since_ns': lambda v, row, process, file: row['start'] >= v,
    'until_ns': lambda v, row, process, file: row['start'] < v,
    'in_phase': lambda v, row, process, file: any(p[0].lower() == v.lower() and p[1] <= row['start'] < p[2] for p in PHASES),
    'of_pid': lambda v, row, process, file: process is not None and process[1] == v,
    'of_process': lambda v, row, process, file: process is not None and v in process[2:],
    'of_file': lambda v, row, process, file: file is not None and (file[1] or file[2]).startswith(v[:-1]),
}


def wanted(row, table, filters, all_files):
    about = row, PROCESS_OF.get(row['process']), all_files.get(row['file'])
    return (table == 'call_stat' or OP_OF[row['op']][3] == 'io') and all(CONDITIONS[name](v, *about) for name, v in filters.items() if name in CONDITIONS)


def follows(rows):
    """Of each transfer with an offset whether it goes on where the one before ended."""
    position, found = {}, {}
    for row in rows:
        if row['nested'] or row['offset'] is None or row['done'] is None:
            continue
        key = (row['process'], row['file'], OP_OF[row['op']][2])
        found[row['id']] = position.get(key, 0) == row['offset']
        position[key] = row['offset'] + row['done']
    return found


def rank(values, percent):
    return values[(len(values) * percent + 99) // 100 - 1] if values else None


def known(values, f):
    return f(values) if values else None


def deviation(values):
    n = len(values)
    if n < 2:
        return 0.0 if n else None
    return math.sqrt((n * sum(v * v for v in values) - sum(values) ** 2) / (n * (n - 1)))


def apart(intervals):
    """The same time as intervals in order, of which no two meet."""
    found = []
    for low, high in sorted(intervals):
        if found and low <= found[-1][1]:
            found[-1][1] = max(found[-1][1], high)
        else:
            found.append([low, high])
    return found


def lies_in(row, intervals):
    """How much of a call's time is in any of the intervals, which are apart; None: nobody knows how long it was."""
    if row['dur'] is None:
        return None
    start, end = row['start'], row['start'] + row['dur']
    first, last = bisect.bisect_right(intervals, start, key=lambda i: i[1]), bisect.bisect_left(intervals, end, key=lambda i: i[0])
    return sum(min(high, end) - max(low, start) for low, high in intervals[first:last])


def is_in(row, intervals, within):
    return within > 0 if row['dur'] else any(low <= row['start'] < high for low, high in intervals)


def busiest_of(rows):
    """How many files, and the one with most time, of as much the first one, with it."""
    files = {}
    for r in rows:
        if r['file'] is not None:
            files.setdefault(r['file'], []).append(r['dur'])
    times = [(known([d for d in durs if d is not None], sum), file) for file, durs in files.items()]
    best = min(times, key=lambda t: (t[0] is None, -(t[0] or 0), t[1]), default=(None, None))
    return len(files), best[1], best[0]


def measure(group, follow, intervals):
    rows, nested = group
    lie = [lies_in(r, intervals) for r in rows] if intervals is not None else []
    within = [ns for ns in lie if ns is not None]
    durs = sorted(r['dur'] for r in rows if r['dur'] is not None)
    sizes = sorted(r['done'] for r in rows if r['done'] is not None)
    steps = [follow[r['id']] for r in rows if r['id'] in follow and not r['nested']]
    n = len(durs)
    busiest = busiest_of(rows)
    return {
        'calls': len(rows), 'errors': sum(r['ret'] is not None and r['ret'] < 0 for r in rows), 'timed': n,
        'done_bytes': known(sizes, sum), 'total_ns': known(durs, sum), 'min_ns': known(durs, min), 'max_ns': known(durs, max),
        'p50_ns': (durs[(n + 1) // 2 - 1] + durs[n // 2]) / 2 if n else None, 'p95_ns': rank(durs, 95), 'p99_ns': rank(durs, 99),
        'stddev_ns': deviation(durs), 'min_bytes': known(sizes, min), 'p50_bytes_low': low_bytes(rank(sizes, 50)),
        'max_bytes': known(sizes, max), 'sequential': sum(steps) if steps else None,
        'random': len(steps) - sum(steps) if steps else None, 'first_ns': min(r['start'] for r in rows),
        'last_ns': max(r['start'] for r in rows), 'nested_calls': nested, 'during_ns': known(within, sum),
        'during_calls': None if intervals is None else sum(is_in(r, intervals, ns) for r, ns in zip(rows, lie)), 'unfinished': sum(r['unfinished'] for r in rows),
        'files': busiest[0], 'busiest_file_id': busiest[1], 'busiest_ns': busiest[2]}


def answer(rows, table, dims, filters, all_files):
    labels = {'width': filters.get('bin_width_ns', BIN_NS), 'phase': filters.get('in_phase')}
    intervals = intervals_of(filters['during']) if 'during' in filters else None
    chosen = [r for r in rows if wanted(r, table, filters, all_files)]
    by_phase = {None: chosen}
    if 'phase' in dims:
        by_phase = {p: [r for r in chosen if any(q[0] == p and q[1] <= r['start'] < q[2] for q in PHASES)] for p in {q[0] for q in PHASES}}
    result = {}
    for phase, members in by_phase.items():
        groups, follow = {}, follows(members)
        for row in members:
            for key in parts(row, dims, all_files, labels):
                if 'phase' in dims and key[dims.index('phase')] != phase:
                    continue
                group = groups.setdefault(key, [[], 0])
                if row['nested'] and 'nested' not in dims:
                    group[1] += 1
                else:
                    group[0].append(row)
        found = {key: measure(group, follow, intervals) for key, group in groups.items() if group[0]}
        result.update(only_top(found, dims, filters['of_top']) if 'of_top' in filters else found)
    return {key: group for key, group in result.items() if all(key[dims.index(d)] is not None and key[dims.index(d)] in filters[c] for d, c in COLUMN.items() if c in filters)}


def only_top(found, dims, n):
    """Groups whose first part (a phase is another question) has most time, of those that wait and of the others if that is asked."""
    first = [i for i, d in enumerate(dims) if d != 'phase'][:1]
    ranked = first + [i for i, d in enumerate(dims) if d == 'waits']
    if not first or n < 0:
        return found
    totals = {}
    for key, group in found.items():
        totals.setdefault(tuple(key[i] for i in ranked), []).append(group['total_ns'])
    totals = {key: known([t for t in times if t is not None], sum) for key, times in totals.items()}
    def place(key):
        return sum(other[1:] == key[1:] and t is not None and (totals[key] is None or t > totals[key]) for other, t in totals.items())
    return {key: group for key, group in found.items() if place(tuple(key[i] for i in ranked)) < n}


# --- questions ---

def during(rng):
    """A SELECT of intervals: in order or not, apart or not, empty, without an end, as wide as 64 bits, or none."""
    rows, start = [], rng.choice((0, 1000, 3000))
    for _ in range(rng.choice((0, 1, 2, 30, 1000))):
        start += rng.choice((0, 1, 5, 40))
        rows.append((start, rng.choice((None, start, start + 1, start + rng.randint(0, 60)))))
    if rng.random() < 0.1:
        rows.append((-(1 << 63), rng.choice((-(1 << 62), 2000, (1 << 63) - 1))))
    if rng.random() < 0.5:
        rng.shuffle(rows)
    if not rows:
        return 'SELECT NULL, NULL WHERE 0'
    values = ', '.join(f'({low}, {"NULL" if high is None else high})' if low > -(1 << 63) else f'(-9223372036854775807 - 1, {high})' for low, high in rows)
    return f'SELECT * FROM (VALUES {values})'


def intervals_of(select):
    db = sqlite3.connect(':memory:')
    found = [(low, high) for low, high in db.execute(select) if high is not None and high > low]
    db.close()
    return apart(found)


def question(rng):
    dims = sorted(rng.sample(DIMS, rng.choice((0, 1, 1, 2, 2, 3))), key=DIMS.index)
    possible = {'since_ns': rng.randint(900, 6000), 'until_ns': rng.randint(2000, 12000), 'in_phase': rng.choice(('epoch', 'EPOCH 2', 'eval', 'none')),
                'of_pid': rng.choice((10, 12, 99)), 'of_process': rng.choice(('python', 'gpu-worker', 'nobody')),
                'of_file': rng.choice(('/data/1/*', 'f*', '/nothing*')), 'bin_width_ns': rng.choice((1, 33, 100000)), 'during': during(rng), 'of_top': rng.choice((-1, 0, 1, 2, 5))}
    filters = {name: possible[name] for name in rng.sample(list(possible), rng.choice((0, 1, 1, 2, 3)))}
    ids = {'file': range(1300), 'process': (1, 3, 7), 'thread': (2, 3), 'op': (2, 3, 5, 6)}    # the scan is told of them; the others are compared afterwards
    filters.update({COLUMN[d]: rng.sample(ids[d], rng.randint(0, len(ids[d]))) + rng.choice(([], [], [None], [2.5, 'x'])) for d in dims if d in ids and rng.random() < 0.4})
    filters.setdefault('since_ns', 0)    # these databases hold no statistics that a question without filter would be answered from
    measures = rng.sample(MEASURES, rng.randint(1, len(MEASURES)))
    return rng.choice(('call_stat', 'io_stat')), dims, filters, measures


def condition(name, value):
    return f"{name} IN (SELECT value FROM json_each('{json.dumps(value)}'))" if isinstance(value, list) else f'{name} IS {value!r}'


def statement(table, dims, filters, measures):
    columns = ', '.join([COLUMN.get(d, d) for d in dims] + list(measures))
    by = ','.join(reversed(dims)) or 'all'    # in any order
    where = ' AND '.join([f"by = '{by}'"] + [condition(k, v) for k, v in filters.items()])
    return f'SELECT {columns} FROM {table} WHERE {where}'


def ask(tracedb, path, statements):
    """The rows of each, by one run of the program: it takes longer to begin than to answer."""
    out = subprocess.run([tracedb, 'query', '-f', 'json', path, '; '.join(statements)], capture_output=True, text=True, check=False)
    if out.returncode:
        raise SystemExit(f'{statements}: exit {out.returncode}: {out.stderr}')
    return json.loads(out.stdout)


def differs(measure_name, got, want):
    if isinstance(want, float) and got is not None:
        return not math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-3)
    return got != want


def compare(tracedb, path, rows, all_files, questions):
    """How many answers are wrong."""
    statements, wrong = [statement(*q) for q in questions], 0
    answers = ask(tracedb, path, statements)
    if len(answers) != len(questions):
        raise SystemExit(f'{len(answers)} answers to {len(questions)} questions')
    for got, asked, (table, dims, filters, measures) in zip(answers, statements, questions):
        wrong += not is_answer(got, answer(rows, table, dims, filters, all_files), dims, measures, asked)
    return wrong


def is_answer(got, want, dims, measures, what):
    found = {tuple(r[COLUMN.get(d, d)] for d in dims): r for r in got}
    wrong = []
    if len(got) != len(found) or set(found) != set(want):
        wrong.append(f'groups {sorted(map(str, found))} instead of {sorted(map(str, want))}')
    for key in set(found) & set(want):
        wrong += [f'{key}: {m} {found[key][m]} instead of {want[key][m]}' for m in measures if differs(m, found[key][m], want[key][m])]
    for line in wrong[:5]:
        print(f'# {what}: {line}')
    return not wrong


def of_both(rng):
    """Sums by verb, and the files of the same groups, which are found together if it is the same rows."""
    table, dims, filters, _ = question(rng)
    dims = [d for d in dims if d not in ('verb', 'phase')]
    filters = {k: v for k, v in filters.items() if k != 'of_top' and not isinstance(v, list)}
    others = {**filters, 'until_ns': 5000} if rng.random() < 0.2 else filters
    return [(table, sorted([*dims, 'verb'], key=DIMS.index), filters, ('calls', 'done_bytes', 'total_ns', 'max_ns', 'errors')),
            (table, dims, others, ('files', 'busiest_file_id', 'busiest_ns'))]


def compare_both(tracedb, path, rows, all_files, questions):
    """As compare(), two questions in a statement."""
    wrong = 0
    for both, got in zip(questions, ask(tracedb, path, [
            'SELECT (SELECT json_group_array(json_object({})) FROM ({})) AS a, (SELECT json_group_array(json_object({})) FROM ({})) AS b'.format(
                *(text for q in both for text in (', '.join(f"'{c}', {c}" for c in [*(COLUMN.get(d, d) for d in q[1]), *q[3]]), statement(*q)))) for both in questions])):
        for name, (table, dims, filters, measures) in zip('ab', both):
            wrong += not is_answer(json.loads(got[0][name]), answer(rows, table, dims, filters, all_files), dims, measures, both)
    return wrong


def shapes(rng):
    """(calls, size of a page, what is done to the file)"""
    yield 0, 4096, None
    yield 1, 512, None
    yield rng.randint(300, 700), 512, None
    yield rng.randint(2000, 4000), 512, None
    yield rng.randint(2000, 4000), 4096, None
    yield 5000, 65536, None
    yield 1500, 1024, 'wal'
    yield 3000, 512, 'scattered'
    yield 3000, 4096, 'omitted'
    yield 3000, 4096, 'held'


def omit(db):
    db.executemany('INSERT INTO stat_omitted VALUES (?, ?, 0)', [(table, ','.join(dims)) for table, dims, _ in HELD])
    db.commit()


def hold_busiest(db, rows, all_files):
    """Of each process and class of files those that took most time, and the rest of them together."""
    places = {}
    for (file, kind, process), group in answer(rows, 'io_stat', ('file', 'class', 'process'), {}, all_files).items():
        places.setdefault((kind, process), []).append((file, [group[m] for m in BUSIEST_HELD]))
    for (kind, process), files in places.items():
        times = [-1 if sums[3] is None else sums[3] for file, sums in files if file is not None]
        rest = []
        for file, sums in files:
            if file is not None and (-1 if sums[3] is None else sums[3]) == max(times):
                db.execute('INSERT INTO busiest_file VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)', (process, kind, file, *sums))
            else:
                rest.append((file, sums))
        if rest:
            known = [[v for v in column if v is not None] for column in zip(*(sums for _, sums in rest))]
            db.execute('INSERT INTO busiest_file VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?)',
                       (process, kind, sum(file is not None for file, _ in rest), *(sum(k) if k else None for k in known[:4]), max(known[4], default=None)))


def hold(db, rows, all_files):
    """What is known of files, as an import keeps it."""
    for dims in (('file', 'verb'), ('file', 'process', 'verb')):
        for key, group in answer(rows, 'io_stat', dims, {}, all_files).items():
            process = key[1] if 'process' in dims else None
            db.execute(f"INSERT INTO file_stat (by, key_id, process_id, verb, {', '.join(IO_HELD)}) VALUES (?, ?, ?, ?{', ?' * len(IO_HELD)})",
                       (','.join(dims), key[0], process, key[-1], *(group[m] for m in IO_HELD)))
    hold_busiest(db, rows, all_files)
    for table, dims, measures in THREADS_HELD:
        for key, group in answer(rows, table, dims, {}, all_files).items():
            db.execute('INSERT INTO thread_stat (class, process_id, thread_id, op_id, calls, errors, total_ns, first_ns, last_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
                       (*key, *(group[m] for m in measures)))
    for table, dims, measures in BUCKETS_HELD:
        for key, group in answer(rows, table, dims, {}, all_files).items():
            db.execute('INSERT INTO bucket_stat VALUES (?, ?, ?, ?, ?, ?, ?)',
                       (','.join(dims), key[0], key[1] if 'verb' in dims else None, key[-1], *(group[m] for m in measures)))
    if rows and rows[0]['start'] % 2:  # else they are put together
        for key, group in answer(rows, 'call_stat', ('class', 'op', 'bin'), {}, all_files).items():
            db.execute('INSERT INTO class_bin_stat (class, op_id, bin_ns, calls, errors, done_bytes, total_ns) VALUES (?, ?, ?, ?, ?, ?, ?)',
                       (*key, *(group[m] for m in (*BIN_HELD, 'total_ns'))))
    for key, group in answer(rows, 'call_stat', ('file', 'process', 'op', 'bin'), {}, all_files).items():
        db.execute('INSERT INTO bin_stat (file_id, process_id, op_id, bin_ns, calls, errors, done_bytes, total_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
                   (*key, *(group[m] for m in (*BIN_HELD, 'total_ns'))))
    db.commit()


def compare_held(tracedb, db, path, rows, all_files, asked):
    """Each grouping that could be held, of the whole run: by tracedb, also of the top ones, and by the views alone."""
    wrong = compare(tracedb, path, rows, all_files, [(table, dims, top, measures) for table, dims, measures in asked for top in ({}, {'of_top': 1}, {'of_top': 4})])
    for table, dims, measures in asked:
        columns = [COLUMN.get(d, d) for d in dims] + list(measures)
        found = db.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE by = '{','.join(dims)}'").fetchall()
        want = answer(rows, table, dims, {}, all_files)
        wrong += not is_answer([dict(zip(columns, row)) for row in found], want, dims, measures, f'view {table} by {dims}')
    return wrong


def spoil(db, rows, how):
    """A file that only SQLite can read, and one whose pages lie in no order, with some that are free. Returns the rows that are left."""
    if how == 'wal':
        db.execute('PRAGMA journal_mode = wal')
    if how != 'scattered':
        return rows
    db.execute('CREATE TABLE call_copy AS SELECT * FROM call')
    db.execute('DELETE FROM call WHERE id % 7 < 5')
    db.execute('CREATE TABLE lies_between AS SELECT * FROM call_copy LIMIT 500')
    db.execute('INSERT INTO call SELECT * FROM call_copy WHERE id % 7 BETWEEN 2 AND 4')
    db.commit()
    return [r for r in rows if r['id'] % 7 >= 2]


def main(tracedb, schema, seed=None):
    seed = int(seed) if seed else random.SystemRandom().randrange(1 << 32)
    rng, failed, n = random.Random(seed), 0, 0
    print(f'# seed {seed}')
    with tempfile.TemporaryDirectory() as folder:
        for i, (count, page_size, how) in enumerate(shapes(rng)):
            path = f'{folder}/{i}.db'
            db, rows, all_files = make(path, rng, Path(schema), count, page_size)
            rows = spoil(db, rows, how)
            wrong = compare(tracedb, path, rows, all_files, [question(rng) for _ in range(QUESTIONS)])
            wrong += compare_both(tracedb, path, rows, all_files, [of_both(rng) for _ in range(QUESTIONS // 4)])
            if how == 'omitted':
                omit(db)
                wrong += compare_held(tracedb, db, path, rows, all_files, HELD + WAITS_HELD + IN_COMMON_HELD)
            if how == 'held':
                hold(db, rows, all_files)
                wrong += compare_held(tracedb, db, path, rows, all_files, BUCKETS_HELD + THREADS_HELD + WAITS_HELD + IN_COMMON_HELD + OF_BINS_HELD + [h for h in HELD if h[1][0] == 'file' and h[0] == 'io_stat'])
                # what no bucket tells is found by looking at the calls
                wrong += compare(tracedb, path, rows, all_files, [(table, dims, {}, MEASURES) for table, dims, _ in BUCKETS_HELD])
            db.close()
            n += 1
            failed += wrong > 0
            print(f"{'not ok' if wrong else 'ok'} {n} - {count} calls, pages of {page_size}{', ' + how if how else ''}: {wrong} answers differ")
    print(f'1..{n}')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
