#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Made-up folders of several runs, of one boot or of several: each thing has to come to its own time, and each phase to its run.

usage: made.py TRACEDB [FOLDERS]"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

MS, SEC, DAY = 10**6, 10**9, 86400 * 10**9
COLUMNS = '{:<17} {:<9} {:<6} {:<14} {:<4} {:<7} {:<10} {:<10} {}\n'


class Run:
    """Epochs, as the logs of some ranks tell of them, and reads by one process, traced with and without a wall clock."""

    def __init__(self, r, name, start_ns, boot_ns):
        self.name, self.start, self.boot = name, start_ns, boot_ns
        self.late = r.choice([0, 3 * MS, 25 * MS])      # of the tracer, at most
        self.tick = r.choice([MS, 4 * MS, 10 * MS])
        self.ranks = r.choice([1, 1, 2, 3])
        self.epochs, at = [], start_ns // MS * MS + SEC
        for number in range(1, r.randrange(2, 6)):
            length = r.randrange(500, 20000) * MS
            self.epochs.append((number, at, at + length))
            at += length + r.randrange(0, 3000) * MS
        self.end = at + SEC
        self.reads = sorted(r.randrange(self.start, self.end) for _ in range(r.randrange(200, 2000)))
        self.bare = r.random() < 0.5
        self.r = r

    def log(self, rank):
        events = [('run_start', self.start, None), ('run_stop', self.end, None)]
        for number, start, end in self.epochs:
            events += [('epoch_start', start, number), ('epoch_stop', end, number)]
        for key, ns, number in sorted(events, key=lambda e: e[1]):
            metadata = {'rank': rank} | ({'epoch_num': number} if number else {})
            yield ':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': ns // MS, 'event_type': 'INTERVAL_END' if 'stop' in key else
                                            'INTERVAL_START', 'key': key, 'value': None, 'metadata': metadata}) + '\n'

    def trace(self, zone_s):
        yield 'Attaching 6 probes...\nCapturing VFS Read and Write calls\n'
        yield COLUMNS.format('TIMESTAMP', 'TIME', 'PID', 'COMM', 'R/W', 'LAT(ns)', 'REQUESTED', 'RETURNED', 'FILE')
        for ns in self.reads:
            read_at = (ns + self.r.randrange(0, self.late + 1)) // self.tick * self.tick
            clock = datetime.fromtimestamp(read_at // SEC, timezone.utc) + timedelta(seconds=zone_s)
            yield COLUMNS.format(ns - self.boot, clock.strftime('%H:%M:%S'), 4242, 'python', 'R', 5000, 4096, 4096, 'data.npy')

    def trace_without_clock(self):
        yield 'Attaching 8 probes...\n'
        yield 'TIMESTAMP         PID    FD   RET (B)      LAT(ns)      FILENAME\n'
        for ns in self.reads[len(self.reads) // 4:]:
            yield f'{ns - self.boot}  4242 python 4096         5000         data.npy\n'

    def write(self, folder, zone_s, order):
        folder.mkdir(exist_ok=True)
        for rank in range(self.ranks):
            (folder / f'{order}{self.name}.rank{rank}.log').write_text(''.join(self.log(rank)))
        (folder / f'{order}{self.name}.vfs.out').write_text(''.join(self.trace(zone_s)))
        if self.bare:
            (folder / f'{order}{self.name}.bare.out').write_text(''.join(self.trace_without_clock()))


def span(run, runs):
    """Of what its boot clock is seen to go on for."""
    near = [x for x in runs if x.boot == run.boot and abs(x.start - run.start) < DAY / 2]
    return min(x.start for x in near), max(x.end for x in near)


def are_alike(runs):
    """At the same time of day nothing but a folder tells whose day it was: within the hour, as there are zones."""
    spans, hour = sorted({span(r, runs) for r in runs}), 3700 * SEC
    return any((b[0] - a[0]) % DAY < a[1] - a[0] + hour or (a[0] - b[0]) % DAY < b[1] - b[0] + hour for i, a in enumerate(spans) for b in spans[:i])


def make_runs(r):
    start, boot, runs = r.randrange(1_600_000_000, 1_750_000_000) * SEC + r.randrange(SEC), None, []
    for name in 'abc'[:r.choice([1, 2, 2, 3])]:
        if boot is None or r.random() < 0.7:            # booted since the run before
            boot = start - r.randrange(600, 3600) * SEC
        runs.append(Run(r, name, start, boot))
        start = runs[-1].end + r.choice([r.randrange(60, 7200), r.randrange(86400, 400 * 86400)]) * SEC + 3600 * SEC
    return runs


def run_import(tracedb, db, *paths):
    done = subprocess.run([tracedb, 'import', '-q', '--append', '-o', db, *paths], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'{db}: {done.stderr}')
    return sqlite3.connect(f'file:{db}?mode=ro', uri=True)


def check_clocks(db, runs, apart):
    by_folder = apart and len({r.boot for r in runs}) == len(runs)
    alike = are_alike(runs)
    for path, clock, offset, error in db.execute('SELECT path, clock, clock_offset_ns, clock_error_ns FROM source'):
        run = next(r for r in runs if Path(path).name[1] == r.name)
        true = run.boot if clock == 'boot' else 0
        if error is None:
            # a trace without a wall clock may be of any boot that was up for as long
            if by_folder or not (alike or 'bare' in path):
                yield f'{path}: nothing is known of its clock'
        elif abs(offset - true) > error:
            yield f'{path}: off by {(offset - true) / SEC} s, stated {error / SEC} s'


def check_phases(db, runs):
    want = sorted((f'epoch {number}', end - start, start, n) for n, r in enumerate(runs, 1) for number, start, end in r.epochs)
    got = sorted(db.execute("SELECT label, end_ns - start_ns, start_ns, run_number FROM phase_interval WHERE label LIKE 'epoch %'"))
    if want != got:
        yield f'phases: {got}, not {want}'
    ranks = [n for (n,) in db.execute('SELECT logs FROM training_runs ORDER BY run_number')]
    if ranks != [r.ranks for r in runs]:
        yield f'logs of runs: {ranks}'


RESULT = ('SELECT label, start_ns, end_ns, run_number FROM phase_interval ORDER BY 1, 2, 4', 'SELECT run_number, start_ns, end_ns, logs FROM training_runs',
          'SELECT start_ns, op_id FROM call ORDER BY start_ns')


def check_folder(tracedb, seed, scratch):
    r = random.Random(seed)
    runs, zone_s = make_runs(r), r.choice([-8, -5, 0, 0, 1, 2, 5.5, 9]) * 3600
    apart = r.random() < 0.3
    folder = Path(scratch) / f'{seed}'
    folder.mkdir()
    for run in runs:                                    # in any order
        run.write(folder / run.name if apart else folder, int(zone_s), r.randrange(10))
    db = run_import(tracedb, f'{folder}.db', folder)
    yield from check_clocks(db, runs, apart)
    yield from check_phases(db, runs)
    if not apart:
        files = sorted(folder.iterdir())
        run_import(tracedb, f'{folder}.appended.db', *files[:len(files) // 2]).close()
        appended = run_import(tracedb, f'{folder}.appended.db', *files[len(files) // 2:])
        for sql in RESULT:
            if db.execute(sql).fetchall() != appended.execute(sql).fetchall():
                yield f'appended, other than at once: {sql}'


def main():
    tracedb, folders, failed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40, 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(folders):
            # all but some by the program without sanitizers, where there is one
            by = tracedb if seed < 4 else os.environ.get('TRACEDB_PLAIN', tracedb)
            for what in check_folder(by, seed, scratch):
                print(f'{seed}: {what[:600]}')
                failed += 1
    print(f'{folders} folders, {failed} failures')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
