#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trainings on a GPU (tests/rules/training.py) of 20 epochs, two at a time: of the same job no difference may be found in 95 of 100 pairs, and where
epochs take 5 % longer, that has to be found in 95 of 100. Every other job is bound by its GPU, the others by their loader, whose times
differ by chance: an epoch by about 3 %, as it has 14 batches whose decoding takes 0.8 to 1.2 of what is usual (0.4 / sqrt(12) / sqrt(14) = 0.031).

usage: trainings.py TRACEDB [PAIRS]         the program in $TRACEDB_PLAIN, if that is set, is asked of all"""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'rules'))

from training import MS, Training  # noqa: E402 (found by the line above)

FOUND = {'slower', 'faster', 'more', 'less', 'better', 'worse'}
JOB = {'epochs': 20, 'steps': 280, 'nloaders': 1, 'depth': 2, 'waits': True, 'barrier': None, 'annotates': True, 'nranks': 1}
BOUND_BY = ({'kernel_ns': 2 * MS, 'decode_ns': 6 * MS}, {'decode_ns': 2 * MS, 'kernel_ns': 6 * MS})   # by what comes last


def run_of(tracedb, path, seed, bound_by, slower_pct=0):
    """Of a step's time so much more is spent in what it is bound by."""
    run = Training(seed, {}, **JOB, **bound_by)
    if slower_pct:
        what = list(bound_by)[-1]
        run = Training(seed, {}, **JOB, **{**bound_by, what: bound_by[what] + run.end * slower_pct // 100 // JOB['steps']})
    run.write(path)
    subprocess.run([tracedb, 'import', '-q', '-o', f'{path}.db', path], check=True)
    return f'{path}.db'


def compared(tracedb, a, b):
    done = subprocess.run([tracedb, 'compare', '-f', 'csv', a, b], capture_output=True, text=True, check=True)
    return {row['id']: row for row in csv.DictReader(done.stdout.splitlines()) if row['shift']}


def verdicts(rows):
    return {what: row['verdict'] for what, row in rows.items() if row['verdict'] in FOUND}


def main(tracedb, pairs=20):
    tracedb, pairs = os.environ.get('TRACEDB_PLAIN', os.path.abspath(tracedb)), int(pairs)
    os.environ['TZ'] = 'UTC'
    alarms, missed, contrary, lines = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for i in range(pairs):
            a, b, c = (run_of(tracedb, Path(scratch) / f'{i}{n}', 3 * i + n, BOUND_BY[i % 2], slower) for n, slower in enumerate((0, 0, 5)))
            same, slower = compared(tracedb, a, b), compared(tracedb, a, c)
            lines.append(len(same))
            alarms += [verdicts(same)] if verdicts(same) else []
            missed += [slower['epoch_ns']] if slower['epoch_ns']['verdict'] != 'slower' else []
            contrary += [verdicts(slower)] if {'faster', 'less'} & set(verdicts(slower).values()) else []
    # a log that ends at a whole second, as it begins, looks as if it had only these, and epochs are shorter: one in a thousand
    least = sorted(lines)[pairs // 20]
    cases = (
        (f'{len(alarms)} of {pairs} pairs of the same training have a verdict', len(alarms) <= 0.05 * pairs),
        (f'5 % longer epochs are not found in {len(missed)} of {pairs}', len(missed) <= 0.05 * pairs),
        (f'{len(contrary)} say the contrary', not contrary),
        (f'{least} lines at least are compared of 19 in 20 pairs', least >= 20),
    )
    for i, (what, ok) in enumerate(cases):
        print(f'{"" if ok else "not "}ok {i + 1} - {what}')
    for found in alarms + missed + contrary:
        print('#', found)
    print(f'1..{len(cases)}')
    return not all(ok for _, ok in cases)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
