#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queries/lake/baseline.sql on generated histories, by an engine: each line is what the method of analyzer/compare/history.h, written down here once more, says;
runs that are like those before them have a verdict in about 5 % of the jobs, one that takes longer has one.

usage: baseline.py QUERIES ENGINE SCRIPT NODE-MODULES [JOBS]     ENGINE: duckdb or clickhouse"""
import math
import os
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lake import MODULE, SKIP, output_columns, run_engine, statements  # pylint: disable=wrong-import-position

DAY, MS = 86400 * 10**9, 10**6
LAST = 50
SLOW = 'slow'  # name of the jobs whose last run is slower


def letters(number):
    """Digits would make one job of all."""
    return ''.join(chr(ord('a') + int(c)) for c in str(number))


def job_of(r, i):
    """Runs in the order of time: (length, lengths of epochs, time of reads), in ns; a few jobs have fewer runs, and older ones that do not count."""
    trend, runs = r.choice((0, 0, 0.1, -0.3)), 15 if i % 25 == 7 else r.choice((25, LAST + 1, LAST + 6))
    for k in range(runs):
        drift, noise = 1 + 0.01 * trend * k, lambda: r.gauss(0, 0.01) * (15 if r.random() < 0.02 else 1)
        epochs = [int(1000 * MS * (drift + noise())) for _ in range(r.choice((3, 4)))]
        yield sum(epochs) + int(100 * MS * (drift + noise())), epochs, int(500 * MS * (drift + noise()))


def median_line(values):
    """Expected last value, and the score of each run."""
    n = len(values)
    slope = statistics.median((values[b] - values[a]) / (b - a) for a in range(n) for b in range(a + 1, n))
    flat = [v - slope * i for i, v in enumerate(values)]
    middle = statistics.median(flat)
    far = [abs(v - middle) for v in flat]
    usual = statistics.median(far) or statistics.fmean(far)
    return middle + slope * (n - 1), [f / usual for f in far]


def judged(runs):
    """{what: (runs before, value, expected, p)} of the last run."""
    runs = runs[-LAST - 1:]
    if len(runs) < 20:
        return {}
    series = {'run: length': [r[0] for r in runs], 'epoch: length': [statistics.median(r[1]) for r in runs], 'read: time in calls': [r[2] for r in runs]}
    lines = {what: median_line(values) for what, values in series.items()}
    largest = [max(scores[i] for _, scores in lines.values()) for i in range(len(runs))]
    return {what: (len(runs) - 1, series[what][-1], expected, (1 + sum(most >= scores[-1] for most in largest[:-1])) / len(runs))
            for what, (expected, scores) in lines.items()}


def alike(got, want):
    """Two runs that are as far from the median on both sides tie but for the last bit: then p is off by one run."""
    runs, *values, p = want
    return got[0] == runs and all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(got[1:], values)) and abs(got[-1] - p) < 1.01 / (runs + 1)


def tables(jobs, folder):
    """lake.run, lake.span and lake.call as files of CSV."""
    rows = {'run': [], 'span': [], 'call': []}
    for job, runs in jobs.items():
        for k, (length, epochs, reads) in enumerate(runs):
            run, start = f'{job}-{k}', 1_700_000_000 * 10**9 + k * DAY
            rows['run'].append(f'{run},{job}_{k:03},{start},{start + length}')
            rows['span'] += [f'{run},phase,epoch,{start},{epoch}' for epoch in epochs]
            rows['call'] += [f'{run},io,read,0,{reads // 2}', f'{run},io,read,0,{reads - reads // 2}', f'{run},io,read,1,{reads}', f'{run},wait,wait,0,{reads}']
    for name, lines in rows.items():
        Path(f'{folder}/{name}.csv').write_text('\n'.join(lines) + '\n', encoding='ascii')


# Types are those that the engine finds in Parquet files.
COLUMNS = {'run': 'run name start_ns end_ns', 'span': 'run kind name start_ns dur_ns', 'call': 'run kind verb nested dur_ns'}


def duckdb_tables():
    yield 'CREATE SCHEMA lake'
    for name, columns in COLUMNS.items():
        types = ', '.join(f"'{c}': '{'BIGINT' if c.endswith('_ns') or c == 'nested' else 'VARCHAR'}'" for c in columns.split())
        yield f"CREATE TABLE lake.{name} AS SELECT * FROM read_csv('{name}.csv', header = false, columns = {{{types}}})"


def clickhouse_tables(settings):
    yield settings
    yield 'CREATE DATABASE lake'
    for name, columns in COLUMNS.items():
        types = ', '.join(f"{c} {'Nullable(Int64)' if c.endswith('_ns') or c == 'nested' else 'Nullable(String)' if c != 'run' else 'LowCardinality(String)'}"
                          for c in columns.split())
        yield f"CREATE TABLE lake.{name} ENGINE = Memory AS SELECT * FROM file('{name}.csv', CSV, '{types}')"


def main(queries, engine, script, modules, njobs='200'):
    if not shutil.which('node') or not os.path.isdir(f'{modules}/{MODULE[engine]}'):
        print(f'skipped: there is no node, or no {MODULE[engine]} in {modules}')
        return SKIP
    views = statements(Path(queries) / 'tables' / f'{engine}.sql')
    sql, r, failed = statements(Path(queries) / 'baseline.sql')[0], random.Random(1), []
    jobs = {letters(i): list(job_of(r, i)) for i in range(int(njobs))}
    for i in range(20):
        runs = list(job_of(r, 1))
        length, epochs, reads = runs[-1]
        jobs[SLOW + letters(i)] = [*runs[:-1], (length + 10**8 * 3, [e * 11 // 10 for e in epochs], reads)]
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as folder:
        tables(jobs, folder)
        made = list(duckdb_tables() if engine == 'duckdb' else clickhouse_tables(next(v for v in views if v.startswith('SET '))))
        answer = run_engine(engine, script, modules, folder, [*made, sql])[-1]
    names, found, got = output_columns(sql), set(), {}
    for row in answer:
        line = dict(zip(names, row))
        job = line['run'].rpartition('-')[0]
        got.setdefault(job, {})[line['what']] = (int(line['runs_before']), float(line['value_ns']), float(line['expected_ns']), float(line['p']))
        if line['verdict'] != 'no evidence':
            found.add(job)
    for job, runs in jobs.items():
        want, has = judged(runs), got.get(job, {})
        if set(want) != set(has) or not all(alike(has[what], want[what]) for what in want):
            failed.append(f'{job}: {has}, not {want}')
    usual = [job for job in jobs if not job.startswith(SLOW) and len(jobs[job]) >= 20]
    alarms, slow = sum(job in found for job in usual), sum(job in found for job in jobs if job.startswith(SLOW))
    print(f'# {alarms} of {len(usual)} runs that are like those before them had a verdict, {slow} of 20 that are slower')
    if alarms > 0.06 * len(usual) + 3.1 * (0.06 * 0.94 * len(usual))**0.5 or slow < 15:
        failed.append('too many of them, or too few')
    print('\n'.join(failed[:5]))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
