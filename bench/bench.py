#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of imports and reports, side by side with the sqlite3 shell and DuckDB on the same rows, and the cost of recording, side
by side with other tracers.

usage: bench.py [--rows 3000000,10000000] [--rounds N] [--lines 10000,100000,1000000] [--formats NAME,...] [--dbs 10,100]
                [PART...]
(./run bench builds and calls it)

Both sides run in turn, with their input in the page cache; medians, spread and ratio are printed and
a line per figure is added to history.tsv. What is measured, and how: README.md."""
import argparse
import statistics
from pathlib import Path

import formats
from beside import bench_beside
from cpus import bench_cpus
from every_format import bench_formats
from exports import bench_parquet
from figures import DATA, HISTORY, ROOT, Measured, record, remove, spread, warm
from filters import bench_filters
from fleet import bench_fleet
from gpu_run import bench_gpu
from imports import bench_flat, bench_import, bench_shapes
from questions import bench_questions
from recording import bench_recording
from small import bench_small

PARTS = ('import', 'shapes', 'questions', 'filters', 'gpu', 'beside', 'parquet', 'flat', 'cpus', 'fleet', 'kineto', 'formats', 'small', 'record')
REPORT_RUNS = 10
REPORTS = ('osrt_sum', 'file_io')
KINETO_LAUNCHES = 150000 # about 200 MB

def generate_kineto():
    """Made once and kept: it is always the same."""
    folder = DATA / 'kineto'
    path = folder / 'trace.json'
    if path.exists():
        return path
    print(f'generating {path.relative_to(ROOT)}')
    unfinished = folder / 'part'
    unfinished.mkdir(parents=True, exist_ok=True)
    formats.make('kineto', KINETO_LAUNCHES * 5, unfinished).rename(path)
    unfinished.rmdir()
    return path


def bench_kineto(tracedb, rounds):
    """On one core, as it has one thread that reads; nothing to compare with here."""
    path, db = generate_kineto(), DATA / 'kineto' / 'tracedb.db'
    runs = []
    for _ in range(rounds):
        remove(db)
        warm(path)
        runs.append(Measured(['taskset', '-c', '0', tracedb, 'import', '--quiet', '-o', db, path]))
    megabytes = path.stat().st_size / 1e6
    median = statistics.median(run.wall_s for run in runs)
    cpu = statistics.median(run.cpu_s for run in runs)
    print(f'\nimport of {megabytes:.0f} MB of Kineto JSON, {rounds} rounds on one core: median (min .. max)')
    print(f'  tracedb  wall {spread([run.wall_s for run in runs])}'
          f'  cpu {cpu:.2f} s  peak {max(run.rss_mib for run in runs):.0f} MiB')
    print(f'  {megabytes / median:.0f} MB/s, {megabytes / cpu:.0f} MB per second of CPU time')
    record('kineto', KINETO_LAUNCHES * 5, megabytes / median, 0, 'MB/s')
    remove(db)


def bench_reports(tracedb, rows, db):
    """Each report as a process, warm; with a filter on a fiftieth (an epoch) and on a tenth of the run."""
    gap_ms = 120e-3     # mean distance of two events in bench-generate
    length_ms = rows * gap_ms
    epoch = f'{length_ms * 0.4:.0f}ms/{length_ms * 0.42:.0f}ms'
    tenth = f'{length_ms * 0.4:.0f}ms/{length_ms * 0.5:.0f}ms'
    print(f'\nreports on {rows} events, {REPORT_RUNS} runs each, warm: median (min .. max)')
    warm(db)
    for report in REPORTS:
        for what, options in (('', []), (' 2 %', ['--filter-time', epoch]), (' 10 %', ['--filter-time', tenth])):
            command = [tracedb, 'report', report, *options, db]
            Measured(command)
            runs = [Measured(command) for _ in range(REPORT_RUNS)]
            times = [run.wall_s for run in runs]
            name = ' '.join([report, *options])
            print(f'  {name:<44} {spread(times)}'
                  f'  cpu {statistics.median(run.cpu_s for run in runs):.3f} s')
            record(f'report {report}{what}', rows,
                   statistics.median(times), 0, 's')
    bench_analyze(tracedb, rows, db)


def bench_analyze(tracedb, rows, db):
    """All rules, as a process, warm."""
    command = [tracedb, 'analyze', db]
    Measured(command)
    runs = [Measured(command) for _ in range(REPORT_RUNS)]
    times = [run.wall_s for run in runs]
    print(f'  {"analyze, all rules":<44} {spread(times)}  cpu {statistics.median(run.cpu_s for run in runs):.3f} s')
    record('analyze', rows, statistics.median(times), 0, 's')


def main():
    parser = argparse.ArgumentParser(description='speed of imports and reports, cost of recording')
    parser.add_argument('--programs', type=Path, default=ROOT / 'build-record', help='folder of a release build')
    parser.add_argument('--rows', default='3000000,10000000', help='sizes of the input')
    parser.add_argument('--lines', default='10000,100000,1000000', help='sizes of the inputs of every format')
    parser.add_argument('--formats', default=','.join(formats.FORMATS), help='some of them only')
    parser.add_argument('--dbs', default='10,100', help='numbers of databases, of 8 MB each')
    parser.add_argument('--rounds', type=int, help='default: 3, 2 beyond 5 million rows, 5 of recording')
    parser.add_argument('part', nargs='*', default=PARTS, help=f'default: {" ".join(PARTS)}')
    arguments = parser.parse_args()
    parts, tracedb = arguments.part, arguments.programs / 'cli/tracedb'
    if set(parts) - set(PARTS):
        parser.error(f'the parts are {", ".join(PARTS)}')
    if 'import' in parts:
        for rows in map(int, arguments.rows.split(',')):
            rounds = arguments.rounds or (2 if rows > 5000000 else 3)
            db = bench_import(arguments.programs, rows, rounds)
            bench_reports(tracedb, rows, db)
    if 'shapes' in parts:
        bench_shapes(arguments.programs, arguments.rounds or 3)
    if 'questions' in parts:
        for rows in map(int, arguments.rows.split(',')):
            bench_questions(arguments.programs, rows, arguments.rounds or 5)
    if 'filters' in parts:
        for rows in map(int, arguments.rows.split(',')):
            bench_filters(arguments.programs, rows)
    if 'gpu' in parts:
        bench_gpu(arguments.programs, max(map(int, arguments.rows.split(','))), arguments.rounds or 3)
    if 'beside' in parts:
        for rows in map(int, arguments.rows.split(',')):
            bench_beside(arguments.programs, rows, arguments.rounds or 3)
            bench_beside(arguments.programs, rows, arguments.rounds or 3, (rows // 9, 64, 'epochs'))
    if 'parquet' in parts:
        for rows in map(int, arguments.rows.split(',')):
            bench_parquet(arguments.programs, rows, arguments.rounds or 5)
    if 'flat' in parts:
        bench_flat(arguments.programs)
    if 'cpus' in parts:
        bench_cpus(arguments.programs, int(arguments.rows.split(',')[0]), arguments.rounds or 5)
    if 'fleet' in parts:
        bench_fleet(arguments.programs, list(map(int, arguments.dbs.split(','))), arguments.rounds or 3)
    if 'kineto' in parts:
        bench_kineto(tracedb, arguments.rounds or 3)
    names = arguments.formats.split(',')
    if set(names) - set(formats.FORMATS):
        parser.error(f'the formats are {", ".join(formats.FORMATS)}')
    if 'formats' in parts:
        bench_formats(tracedb, names, list(map(int, arguments.lines.split(','))))
    if 'small' in parts:
        bench_small(tracedb, names)
    if 'record' in parts:
        bench_recording(arguments.programs, arguments.rounds or 5)
    print(f'\nadded to {HISTORY.relative_to(ROOT)}')


main()
