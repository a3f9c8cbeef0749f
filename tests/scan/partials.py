#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Partials of any split of a database, put together in any order, against the database itself and against an oracle.

usage: partials.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random calls (call_stat.py makes them) are split: each call goes to one of k databases, which are alike but for that.
Partials of these are merged in a random order, in steps or at once, and in another order; both results must be the same file. What
a report says of it is held against what it says of the whole: counts and sums must be equal, medians and percentiles within 0.8 %.
So that not all rests on tracedb, counts and sums are counted here, too, and percentiles found by sorting.

TRACEDB, which may have sanitizers, is held against the first case of each kind, the program in $TRACEDB_PLAIN, if that is set, against
the others."""
import collections
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import call_stat    # noqa: E402

ERROR = 0.008
# The databases have no derived tables: with a time that leaves nothing out tracedb looks at the calls.
ALL = ('--filter-time', '/1h')
REPORT_DIR = Path(__file__).parent / 'reports'
# report, options, columns that say which row it is
REPORTS = (
    ('osrt_sum', ALL, ('name', 'layer')),
    ('osrt_sum', ('--phase', 'epoch'), ('name', 'layer')),
    ('osrt_sum', ('--pid', '11', '--filter-time', '0ns/3000ns'), ('name', 'layer')),
    ('file_io', ALL, ('file', 'class')),
    ('file_io', ('--by', 'template', *ALL), ('file',)),
    ('file_io', ('--by', 'directory', '--process', 'loader'), ('file',)),
    ('file_io', ('--by', 'process', *ALL), ('file',)),
    ('io_by_process', ALL, ('pid',)),
    ('size_hist', ALL, ('what', 'low_bytes')),
    ('latency_hist', ALL, ('what', 'low_ns')),
    ('small_io', ALL, ('name', 'op')),
    ('small_io', ('--by', 'process', *ALL), ('name', 'op')),
    ('sync_sum', ALL, ('name', 'op')),
    ('open_latency', ALL, ('name', 'inside')),
    ('checkpoint', ('--param', 'file=/data/*1*', *ALL), ('name', 'pid')),
    ('checkpoint', ('--param', 'file=none'), ('name', 'pid')),
    ('workers', ALL, ('pid', 'phase')),
)
QUANTILES = ('p50_ns', 'med_ns', 'p95_ns', 'p99_ns', 'read_p50_ns', 'read_p99_ns', 'write_p50_ns', 'write_p99_ns')
# it is by the call before, which may be in another database
ORDERED = ('sequential_pct',)
# of rows that are equal in what they are ordered by, which is first
AMBIGUOUS = ('busiest_file',)


def calls_of(path, rows):
    """Those of a part of the database."""
    db = sqlite3.connect(path)
    ids = {i for i, in db.execute('SELECT id FROM call')}
    db.close()
    return [r for r in rows if r['id'] in ids]


def forget_calls(paths):
    for path in paths:
        db = sqlite3.connect(path)
        db.execute('DELETE FROM call')
        db.commit()
        db.close()


def run(*args, want=0):
    done = subprocess.run([str(a) for a in args], capture_output=True, check=False, text=True)
    assert done.returncode == want, (args, done.returncode, done.stderr)
    return done.stdout


def make(folder, rng, schema):
    path = folder / 'whole.db'
    db, rows, files = call_stat.make(path, rng, schema, rng.choice((1, 40, 600)), rng.choice((512, 4096)))
    db.executemany('INSERT INTO string (id, text) VALUES (?, ?)', ((i, f'text {i}') for i in range(1, 20)))
    db.execute("INSERT INTO file_stat (by, verb, calls, errors, timed, first_ns, last_ns) VALUES ('file,verb', 'other', 0, 0, 0, 0, 0)")
    db.commit()
    db.close()
    return path, rows, files


def split(whole, folder, rng, k, whose='id'):
    """Calls that are equal in the column go to one."""
    paths = []
    for i in range(k):
        paths.append(folder / f'part{i}.db')
        shutil.copy(whole, paths[i])
    part_of = {}
    dbs = [sqlite3.connect(p) for p in paths]
    for (call,) in dbs[0].execute(f'SELECT DISTINCT coalesce({whose}, 0) FROM call').fetchall():
        part_of[call] = rng.randrange(k)
    for i, db in enumerate(dbs):
        db.executemany(f'DELETE FROM call WHERE coalesce({whose}, 0) = ?', ((c,) for c, part in part_of.items() if part != i))
        db.execute('UPDATE source SET hash = ?', (f'{i:032x}',))
        db.commit()
        db.close()
    return paths


def hold(path, rows):
    """The tables of operations, as an import derives them, so that tracedb need not look at the calls."""
    db = sqlite3.connect(path)
    for table, nested in (('op_stat', False), ('nested_stat', True)):
        groups = collections.defaultdict(list)
        for row in rows:
            groups['op', None, row['op']].append(row)
            groups['process,op', row['process'], row['op']].append(row)
        for (by, process, op), group in groups.items():
            hold_group(db, table, {'by': by, 'process_id': process, 'op_id': op}, group, nested)
    db.commit()
    db.close()


def hold_group(db, table, row, group, nested):
    own = [r for r in group if r['nested'] == nested]
    durations = [r['dur'] for r in own if r['dur'] is not None]
    if not own:
        return
    row |= {'calls': len(own), 'errors': sum((r['ret'] or 0) < 0 for r in own), 'timed': len(durations), 'done_bytes': sum(r['done'] or 0 for r in own),
            'total_ns': sum(durations) if durations else None, 'min_ns': min(durations, default=None), 'max_ns': max(durations, default=None)}
    if not nested:
        row |= {'stddev_ns': statistics.stdev(durations) if len(durations) > 1 else 0, 'first_ns': min(r['start'] for r in own),
                'last_ns': max(r['start'] for r in own), 'unfinished': sum(r['unfinished'] for r in own), 'nested_calls': sum(r['nested'] for r in group)}
    db.execute(f"INSERT INTO {table} ({','.join(row)}) VALUES ({','.join('?' * len(row))})", tuple(row.values()))
    if row['by'] == 'process,op':
        db.execute('INSERT INTO op_hist VALUES (?, ?, ?, ?)', (row['process_id'], row['op_id'], nested, pack(map(bucket_number, durations))))
    elif not nested:
        db.executemany('INSERT INTO latency_stat VALUES (?, ?, ?, ?)', ((row['op_id'], *b, n) for b, n in sorted(collections.Counter(map(bucket, durations)).items())))


def number(v):
    """Seven bits a byte, the lowest first, the highest bit set in all but the last."""
    return bytes((v & 127,)) if v < 128 else bytes((v & 127 | 128,)) + number(v >> 7)


def pack(buckets):
    """As file_hist has them."""
    out, after = b'', 0
    for bucket_number, n in sorted(collections.Counter(buckets).items()):
        out += number(2 * (bucket_number - after) + (n > 1)) + (number(n - 2) if n > 1 else b'')
        after = bucket_number + 1
    return out


def bucket_number(ns):
    return ns if ns < 64 else (ns.bit_length() - 7) * 64 + (ns >> (ns.bit_length() - 7))


def file_groups(rows, files, by):
    """I/O calls by what file_stat says that they are by: a file, or what files have in common, a process, a verb."""
    column = {'file': 0, 'class': 3, 'directory': 4, 'template': 5}
    groups = collections.defaultdict(list)
    for row in rows:
        _, _, verb, kind = next(o for o in call_stat.OPS if o[0] == row['op'])
        file = files.get(row['file'])
        key = row['process'] if by == 'process,verb' else file and file[column[by.split(',')[0]]]
        who = row['process'] if ',process' in by else None
        if kind == 'io' and not row['nested']:
            groups[100 + CLASSES.index(key) if key in CLASSES else key, who, verb].append(row)
    return groups


CLASSES = ('regular', 'directory', 'shm', 'memfd', 'pipe', 'socket', 'eventfd', 'anon-inode', 'device', 'proc-sys', 'deleted', 'unnamed', 'unknown', 'terminal')
GROUPINGS = ('file,verb', 'file,process,verb', 'template,verb', 'directory,verb', 'class,verb', 'class,process,verb', 'process,verb')


def hold_files(path, rows, files):
    """file_stat, file_hist and busiest_file, as an import derives them, but for what follows from call to call."""
    db = sqlite3.connect(path)
    db.execute('DELETE FROM file_stat')
    db.executemany('INSERT INTO string (id, text) VALUES (?, ?)', enumerate(CLASSES, 100))
    for by in GROUPINGS:
        for (key, who, verb), own in file_groups(rows, files, by).items():
            durations, sizes = ([r[c] for r in own if r[c] is not None] for c in ('dur', 'done'))
            db.execute('INSERT INTO file_stat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL, ?, NULL, NULL, ?, ?)',
                       (by, key, who, verb, len(own), sum((r['ret'] or 0) < 0 for r in own), len(durations), sum(sizes) if sizes else None,
                        sum(durations) if durations else None, max(durations, default=None), min(sizes, default=None), max(sizes, default=None),
                        min(r['start'] for r in own), max(r['start'] for r in own)))
            if by == 'file,verb':
                db.execute('INSERT INTO file_hist VALUES (?, ?, ?, ?, ?, ?)',
                           (by, key, verb, min(durations, default=None), pack(map(bucket_number, durations)), pack(n.bit_length() for n in sizes)))
    call_stat.hold_busiest(db, rows, files)
    db.commit()
    db.close()


HELD_REPORTS = (('file_io', ('--param', 'what=all'), ('file', 'class')), ('file_io', (), ('file', 'class')), ('file_io', ('--by', 'template'), ('file',)), ('file_io', ('--by', 'directory'), ('file',)),
                ('file_io', ('--by', 'class'), ('file',)), ('io_by_process', (), ('pid',)), ('checkpoint', ('--param', 'file=/data/*1*'), ('name', 'pid')))


def check_held_files(tracedb, folder, rng, schema):
    """What the file holds of files and processes, against the calls; and without these it is the same."""
    whole, rows, files = make(folder, rng, schema)
    parts = split(whole, folder, rng, rng.randint(1, 4))
    for part in parts:
        own = calls_of(part, rows)
        hold_files(part, own, files)
        if rng.random() < 0.5:  # with them it is known when all calls of a grouping have been met
            hold(part, own)

    def ask(report, options, keys):
        done = subprocess.run([tracedb, 'report', report, *options, '--merged', '-f', 'json', *parts], capture_output=True, check=False, text=True)
        assert done.returncode in (0, 3), done.stderr # 3: none of them has I/O
        return rows_of(done.stdout or '[]', keys)
    got = [ask(*each) for each in HELD_REPORTS]
    if not any(got):
        return
    for (report, options, keys), rows_held in zip(HELD_REPORTS, got):
        compare(rows_held, ask(report, (*options, *ALL), keys), (report, options))
    # what views make of rows of files is in no table
    places = ('places', ('--report-dir', REPORT_DIR), ('class', 'pid'))
    direct = run(tracedb, 'report', *places[:1], *places[1], *ALL, '-f', 'json', whole)
    compare(ask(*places), rows_of(direct, places[2]), 'places')
    forget_calls(parts)
    assert [ask(*each) for each in HELD_REPORTS] == got
    # a distribution that is not of all calls is not taken for one that is
    db = sqlite3.connect(parts[0])
    gone = db.execute('DELETE FROM file_hist WHERE rowid IN (SELECT min(rowid) FROM file_hist WHERE durations <> x\'\')').rowcount
    db.commit()
    db.close()
    assert not gone or ask(*HELD_REPORTS[0]) != got[0]


def bucket(ns):
    """64 for each power of two, one for each duration below 128."""
    width = 1 << max(ns.bit_length() - 7, 0)
    return ns // width * width, ns // width * width + width


def hold_buckets(path, rows, files):
    """bucket_stat, as an import derives it."""
    def size(row):
        return row['done'] and 1 << row['done'].bit_length() - 1

    def latency(row):
        shift = max((row['dur'] or 0).bit_length() - 4, 0)
        return row['dur'] and row['dur'] >> shift << shift
    groups = collections.defaultdict(list)
    for row in (r for r in rows if not r['nested']):
        _, _, verb, kind = next(o for o in call_stat.OPS if o[0] == row['op'])
        groups['op,latency', row['op'], None, latency(row)].append(row)
        groups['op,size', row['op'], None, size(row)].append(row)
        if kind == 'io':
            groups['process,verb,size', row['process'], verb, size(row)].append(row)
            groups['template,verb,size', files[row['file']][5] if row['file'] else None, verb, size(row)].append(row)
    db = sqlite3.connect(path)
    for key, own in groups.items():
        sums = ([r[c] for r in own if r[c] is not None] for c in ('done', 'dur'))
        db.execute('INSERT INTO bucket_stat VALUES (?, ?, ?, ?, ?, ?, ?)', (*key, len(own), *(sum(s) if s else None for s in sums)))
    db.commit()
    db.close()


HELD_BUCKETS = (('latency_hist', (), ('what', 'low_ns')), ('latency_hist', ('--by', 'op'), ('what', 'low_ns')), ('size_hist', (), ('what', 'low_bytes')),
                ('small_io', (), ('name', 'op')), ('small_io', ('--by', 'process'), ('name', 'op')))


def check_held_buckets(tracedb, folder, rng, schema):
    """What the file holds by durations and sizes, against the calls; where rows of it are missing the calls are looked at."""
    whole, rows, files = make(folder, rng, schema)
    parts = split(whole, folder, rng, rng.randint(1, 4))
    for part in parts:
        own = calls_of(part, rows)
        hold(part, own)
        hold_buckets(part, own, files)

    def ask(*more):
        return [rows_of(run(tracedb, 'report', report, *options, *more, '--merged', '-f', 'json', *parts), keys) for report, options, keys in HELD_BUCKETS]
    got = ask()
    for held, looked, (report, options, _) in zip(got, ask(*ALL), HELD_BUCKETS):
        compare(held, looked, (report, options))
    db = sqlite3.connect(parts[0])
    db.execute('DELETE FROM bucket_stat WHERE rowid % 5 = 1')
    db.commit()
    db.close()
    assert ask() == got
    forget_calls(parts)
    assert len(parts) == 1 or not any(got) or any(ask())  # those that hold all of it need no calls


HELD_OPS = (('osrt_sum', ('name', 'layer')), ('sync_sum', ('name', 'op')), ('open_latency', ('name', 'inside')))


def check_held(tracedb, folder, rng, schema):
    """What the file holds of operations, against the calls: by a report that looks at them, and counted here."""
    whole, rows, _ = make(folder, rng, schema)
    parts = split(whole, folder, rng, rng.randint(1, 4))
    for part in parts:
        hold(part, calls_of(part, rows))

    def ask(*options):
        return [rows_of(run(tracedb, 'report', report, *options, '--merged', '-f', 'json', *parts), keys) for report, keys in HELD_OPS]
    got = ask()
    for held, looked, (report, _) in zip(got, ask(*ALL), HELD_OPS):
        compare(held, looked, f'held {report}')
    check_oracle(rows, got[0])
    # what does not add up is looked for in the calls
    spread = ('spread', '--report-dir', REPORT_DIR, '-f', 'json')
    merged, direct = (rows_of(run(tracedb, 'report', *spread, *of), ('pid', 'name', 'layer')) for of in (('--merged', *parts), (*ALL, whole)))
    compare(merged, direct, 'spread')
    # only what looks at the calls sees that there are none any more
    forget_calls(parts)
    assert ask() == got
    # a histogram that is not of all calls is not taken for one that is
    for (table, of), before in zip((('latency_stat', '1'), ('op_hist', "nested = 0 AND durations <> x'' AND op_id = 7"), ('op_hist', "nested = 1 AND durations <> x'' AND op_id = 4")), got):
        db = sqlite3.connect(parts[0])
        gone = db.execute(f'DELETE FROM {table} WHERE rowid IN (SELECT min(rowid) FROM {table} WHERE {of})').rowcount
        db.commit()
        db.close()
        assert not gone or ask()[got.index(before)] != before, table


def merge(tracedb, partials, folder, rng, name):
    """As a random tree."""
    left, n = rng.sample(partials, len(partials)), 0
    while len(left) > 1:
        take = left[:rng.randint(2, len(left))]
        left = left[len(take):]
        out = folder / f'{name}{n}'
        n += 1
        run(tracedb, 'merge', '-o', out, *take)
        left.insert(rng.randint(0, len(left)), out)
    return left[0]


def rows_of(text, keys):
    rows = {}
    for row in json.loads(text):
        key = tuple(row[k] for k in keys)
        assert key not in rows, (key, text)
        rows[key] = row
    return rows


def compare(got, want, what):
    assert got.keys() == want.keys(), (what, got.keys() ^ want.keys())
    for key, row in want.items():
        for column, value in row.items():
            have = got[key][column]
            if column in ORDERED or column in AMBIGUOUS:
                continue
            if column in QUANTILES and value is not None:
                assert have is not None and abs(have - value) <= ERROR * value, (what, key, column, have, value)
            elif isinstance(value, float):
                assert have is not None and abs(have - value) <= 1e-9 * abs(value), (what, key, column, have, value)
            else:
                assert have == value, (what, key, column, have, value)


def check_oracle(rows, got):
    """osrt_sum of all calls, counted here."""
    for _, name, _, _ in call_stat.OPS:
        own = [r for r in rows if not r['nested'] and next(o for o in call_stat.OPS if o[0] == r['op'])[1] == name]
        durations = sorted(r['dur'] for r in own if r['dur'] is not None)
        row = got.get((name, 'syscall'))
        if not own:
            continue
        assert row['calls'] == len(own) - sum(r['unfinished'] for r in own), (name, row)
        assert row['errors'] == sum(r['ret'] is not None and r['ret'] < 0 for r in own), (name, row)
        assert row['total_ns'] == (sum(durations) if durations else None), (name, row)
        assert row['max_ns'] == (max(durations) if durations else None), (name, row)
        if durations:
            want = durations[-(-len(durations) * 95 // 100) - 1]
            assert abs(row['p95_ns'] - want) <= ERROR * want, (name, row, want)


def check(tracedb, folder, rng, schema):
    whole, rows, _ = make(folder, rng, schema)
    parts = split(whole, folder, rng, rng.randint(2, 5))
    report, options, keys = rng.choice(REPORTS)
    partials = []
    for part in parts:
        partials.append(part.with_suffix('.partial'))
        run(tracedb, 'report', report, *options, '--partial', '-o', partials[-1], part)
    a, b = (merge(tracedb, partials, folder, rng, name) for name in 'ab')
    assert a.read_bytes() == b.read_bytes()
    at_once = folder / 'at-once'
    run(tracedb, 'report', report, *options, '--partial', '-o', at_once, *rng.sample(parts, len(parts)))
    assert at_once.read_bytes() == a.read_bytes()
    what = (report, options)
    answer = subprocess.run([tracedb, 'report', '--from-partial', '-f', 'json', a], capture_output=True, check=False, text=True)
    direct = subprocess.run([tracedb, 'report', report, *options, '-f', 'json', whole], capture_output=True, check=False, text=True)
    assert answer.returncode == direct.returncode, (what, answer.stderr, direct.stderr)
    if answer.returncode:
        return
    merged = subprocess.run([tracedb, 'report', report, *options, '--merged', '-f', 'json', *parts], capture_output=True, check=False, text=True)
    assert merged.stdout == answer.stdout, what
    if keys:
        compare(rows_of(answer.stdout, keys), rows_of(direct.stdout, keys), what)
    if what == ('osrt_sum', ALL):
        check_oracle(rows, rows_of(answer.stdout, keys))


def check_top(tracedb, folder, rng, schema):
    """With --top each row lacks what the note says at most, all together nothing."""
    whole, _, _ = make(folder, rng, schema)
    parts = split(whole, folder, rng, rng.randint(1, 3))
    top = ('--top', '3', '--merged')
    got = rows_of(run(tracedb, 'report', 'file_io', *ALL, *top, '-f', 'json', *parts), ('file', 'class'))
    want = rows_of(run(tracedb, 'report', 'file_io', *ALL, '-f', 'json', whole), ('file', 'class'))
    note = run(tracedb, 'report', 'file_io', *ALL, *top, *parts)
    lacks = sum(int(line.split(' ns at most')[0].split()[-1]) for line in note.splitlines() if ' ns at most' in line)
    for key, row in got.items():
        if key[0] != '(others)':
            missing = (want[key]['total_ns'] or 0) - (row['total_ns'] or 0)
            # a row of the report is of several verbs, each of which lacks so much
            assert 0 <= missing <= 5 * lacks, (key, missing, lacks)
    for column in ('opens', 'reads', 'writes', 'errors', 'total_ns'):
        both = [sum(row[column] or 0 for row in rows.values()) for rows in (got, want)]
        assert both[0] == both[1], (column, both)


FILE_TIMES = """
    SELECT p.pid, f.class, coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)'), coalesce(sum(c.dur_ns), 0)
    FROM call AS c JOIN op AS o ON o.id = c.op_id JOIN file AS f ON f.id = c.file_id LEFT JOIN process AS p ON p.id = c.process_id
    WHERE o.kind = 'io' AND NOT c.nested GROUP BY c.process_id, c.file_id"""
WAITING = ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')


def busiest_of(times):
    """Names of the files that most of the time went to, which may be several."""
    return {file for ns, file in times if ns == max(times)[0]}


def check_busiest(tracedb, folder, rng, schema):
    """Where each process is in one database, its busiest file is the one that the calls tell; and a partial names no others than that of each class."""
    whole, rows, files = make(folder, rng, schema)
    db = sqlite3.connect(whole)
    times, by_class = collections.defaultdict(list), collections.defaultdict(list)
    for pid, kind, file, ns in db.execute(FILE_TIMES):
        by_class[pid, kind].append((ns, file))
        if kind not in WAITING:
            times[pid].append((ns, file))
    db.close()
    parts = split(whole, folder, rng, rng.randint(1, 4), 'process_id')

    def ask(*options):
        done = subprocess.run([tracedb, 'report', 'io_by_process', *options, '--merged', '-f', 'json', *parts], capture_output=True, check=False, text=True)
        got = rows_of(done.stdout or '[]', ('pid',))
        for (pid,), row in got.items():
            assert row['busiest_file'] in (busiest_of(times[pid]) or {None}), (options, pid, row, times[pid])
        run(tracedb, 'report', 'io_by_process', *options, '--partial', '-o', folder / 'busiest', *parts)
        texts = subprocess.run(['zstdcat', folder / 'busiest'], capture_output=True, check=True, text=True).stdout.splitlines()
        told = {json.loads(t) for t in texts if t.startswith('"')} & {file for own in by_class.values() for _, file in own}
        assert told <= {file for own in by_class.values() for file in busiest_of(own)}, (options, told)
        return {pid: row['busiest_file'] for pid, row in got.items()}
    of_calls = ask(*ALL)
    for part in parts:
        own = calls_of(part, rows)
        hold_files(part, own, files)
        hold(part, own)
    assert ask() == of_calls


# Kinds of cases, and how many of each there are.
CASES = ((check, 5), (check_top, 1), (check_held, 2), (check_held_files, 2), (check_held_buckets, 2), (check_busiest, 2))


def main():
    tracedb, schema = sys.argv[1], Path(sys.argv[2])
    plain = os.environ.get('TRACEDB_PLAIN', tracedb)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    for kind, n in CASES:
        for i in range(n):
            with tempfile.TemporaryDirectory() as name:
                try:
                    kind(plain if i else tracedb, Path(name), rng, schema)
                except AssertionError:
                    print(f'seed {seed}, {kind.__name__} {i}', file=sys.stderr)
                    raise


if __name__ == '__main__':
    main()
