#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Round trips: runs are imported, exported as bpftrace text, and imported again with that in the place of their
own bpftrace files. Reports must say the same.

usage: export.py TRACEDB example | corpus      exit 77 (skipped) if TRACEDB_CORPUS does not name the corpus

By $TRACEDB_PLAIN, the program without sanitizers, where there is one: all of the corpus, whose import other tests look at, and
of the example the reports."""
import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

# What speaks of the files themselves: their lines, their damage, how their clock was found.
OF_FILES = {'info', 'info_issues', 'info_sources', 'info_tables', 'overview', 'quality'}
DGX1 = {'bio.out', 'open.out', 'vfs_rw.out'}

failures = 0
checks = 0


def fail(what):
    global failures
    failures += 1
    print(f'FAILED {what}')


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def report_names(tracedb):
    rows = list(csv.reader(io.StringIO(run(tracedb, 'report', '--list', '-f', 'csv'))))
    return [row[0] for row in rows[1:] if row[0] not in OF_FILES]


def reports(tracedb, names, db):
    """The rows of each; none where it has nothing to show. By one run of the program: it takes longer to begin than to answer."""
    tracedb = os.environ.get('TRACEDB_PLAIN', tracedb)
    done = subprocess.run([tracedb, 'report', ','.join(names), '-f', 'json', db], capture_output=True, text=True)
    found = json.loads(done.stdout)
    if sorted(found) != sorted(names):
        sys.exit(f'reports of {db}: {sorted(set(names) ^ set(found))}: {done.stderr}')
    return found


def compare(what, before, after):
    global checks
    checks += 1
    if before == after:
        return
    fail(f'{what}: {len(before)} rows, then {len(after)}')
    for row in [row for row in before if row not in after][:3]:
        print(f'    only before: {row}')
    for row in [row for row in after if row not in before][:3]:
        print(f'    only after:  {row}')


def calls(db):
    """All but the file, which a layout may have only the name of."""
    return [tuple(map(str, row)) for row in db.execute(
        'select start_ns, dur_ns, op, pid, fd, ret, asked_bytes, done_bytes, offset_bytes from calls order by 1, 2, 3, 4')]


def round_trip(tracedb, folder, own, layout, names=None):
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        before, after, out = f'{scratch}/before.db', f'{scratch}/after.db', f'{scratch}/run'
        shutil.copytree(folder, out, ignore=shutil.ignore_patterns('oracle.json'))
        run(tracedb, 'import', '-q', '-o', before, out)
        for name in own:
            os.unlink(f'{out}/{name}')
        run(tracedb, 'export', '-q', before, '--to', f'{layout}={out}')
        db = sqlite3.connect(f'file:{before}?mode=ro', uri=True)
        boot = db.execute("select clock_offset_ns from source where clock = 'boot'").fetchone()[0]
        run(tracedb, 'import', '-q', '--clock', f'boot={boot}', '-o', after, out)
        asked = names or report_names(tracedb)
        rows = reports(tracedb, asked, before), reports(tracedb, asked, after)
        for name in asked:
            compare(f'{folder.name}, {layout}: {name}', rows[0][name], rows[1][name])
        if not names or 'osrt_sum' in names:
            again = sqlite3.connect(f'file:{after}?mode=ro', uri=True)
            compare(f'{folder.name}, {layout}: calls', calls(db), calls(again))


def main(tracedb, what):
    if what == 'example':
        stall = Path(__file__).resolve().parents[2] / 'examples' / 'stall' / 'run'
        round_trip(tracedb, stall, DGX1, 'bpftrace')
        # vfs_open and the names of operations have no place in the other one
        round_trip(tracedb, stall, DGX1, 'bpftrace-split',
                   ['anon_writers', 'block_io', 'cpu_util', 'gpu_util', 'io_by_process', 'overlap'])
    else:
        corpus = os.environ.get('TRACEDB_CORPUS')
        if not corpus:
            print('TRACEDB_CORPUS does not name the corpus')
            sys.exit(77)
        runs, tracedb = Path(corpus) / 'runs', os.environ.get('TRACEDB_PLAIN', tracedb)
        round_trip(tracedb, runs / 'unet3d_8gpu_dgx1v2', DGX1, 'bpftrace')
        # which opens failed is not known there, so neither which of two names a cut path has
        round_trip(tracedb, runs / 'unet3d_4gpu_split',
                   ['trace_bio.out', 'trace_openat.out', 'trace_read.out', 'trace_time_align.out',
                    'trace_write.out'], 'bpftrace-split',
                   [name for name in report_names(tracedb) if name != 'file_io'])
    print(f'{checks} checks, {failures} failed')
    sys.exit(failures != 0)


main(sys.argv[1], sys.argv[2])
