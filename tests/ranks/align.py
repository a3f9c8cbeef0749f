#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of made-up jobs (clocks.py), each with a clock of its own: 'report --side-by-side --align' shows when things were by the clock of the first one, to the
error that it states. Epochs, kernels, calls and the time of errors are held against the true times.

usage: align.py TRACEDB"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from clocks import MS, SEC, Job, files_of  # pylint: disable=wrong-import-position

MOVED = re.compile(r'(rank\d+): clock: times are moved by ([-+][\d.]+) s, to the clock of rank0, known to ([\d.]+) s')
LOG_NS = MS      # times of the log are whole milliseconds
PRINTED_NS = 1000  # the note has microseconds


def report(tracedb, folder, name, ranks, *options):
    done = subprocess.run([tracedb, 'report', name, '--side-by-side', '-f', 'json', *options, *(f'rank{rank}.db' for rank in range(ranks))],
                          cwd=folder, check=True, text=True, capture_output=True)
    return json.loads(done.stdout), done.stderr


def shifts_of(text):
    return {run: (round(float(by) * SEC), round(float(error) * SEC)) for run, by, error in MOVED.findall(text)}


def wrong_times(job, rows, errors):
    """Epochs that did not begin when the report says, by the clock of the first rank, which is the true one."""
    for row in rows:
        name, _, number = row['phase'].partition(' ')
        if name != 'epoch' or not number:
            continue
        rank = int(row['run'].removeprefix('rank'))
        begin = job.epochs[int(number)][rank][0]
        if abs(row['start_ns'] - begin) > errors[rank] + LOG_NS:
            yield f'{row["run"]}, {row["phase"]}: begins at {row["start_ns"]}, not {begin} +- {errors[rank]}'


def wrong_of(tracedb, folder, seed, widths):
    job = Job(random.Random(seed))
    for rank in range(job.ranks):
        (folder / f'{seed}/rank{rank}').mkdir(parents=True)
        for name, text in files_of(job, rank).items():
            (folder / f'{seed}/rank{rank}' / name).write_text(text)
        subprocess.run([tracedb, 'import', '-q', '-o', f'rank{rank}.db', f'rank{rank}'], cwd=folder / f'{seed}', check=True)
    own, said = report(tracedb, folder / f'{seed}', 'slowest', job.ranks, '--limit', '1000')
    if MOVED.search(said):
        yield f'seed {seed}: times are moved without --align'
    rows, said = report(tracedb, folder / f'{seed}', 'slowest', job.ranks, '--limit', '1000', '--align')
    shifts = shifts_of(said)
    untold = set(re.findall(r'(rank\d+): clock: its own', said))
    if {f'rank{rank}' for rank in range(1, job.ranks)} != set(shifts) | untold or set(shifts) & untold:
        yield f'seed {seed}: shifts of {sorted(shifts)}, none of {sorted(untold)}'
    for before, after in zip(own, rows):
        by = after['start_ns'] - before['start_ns']
        rank = int(after['run'].removeprefix('rank'))
        want, error = shifts.get(after['run'], (0, 0))
        if abs(by - want) > PRINTED_NS:
            yield f'seed {seed}, rank {rank}: a call is moved by {by}, not {want}'
        if after['run'] not in untold and abs(by + job.ahead[rank]) > error + PRINTED_NS:
            yield f'seed {seed}, rank {rank}: a clock that is {job.ahead[rank]} ahead is moved by {by} +- {error}'
    widths += [error for _, error in shifts.values()]
    if job.epochs:
        rows, _ = report(tracedb, folder / f'{seed}', 'phases', job.ranks, '--align')
        errors = {rank: shifts.get(f'rank{rank}', (0, 0))[1] + PRINTED_NS for rank in range(job.ranks)}
        yield from (f'seed {seed}: {text}' for text in wrong_times(job, [r for r in rows if r['run'] not in untold], errors))


def wrong_of_one_machine(tracedb, folder):
    """Files of one machine have its clock, whatever else they tell."""
    job = next(job for job in map(Job, map(random.Random, range(1000))) if job.epochs)
    for rank in range(2):
        (folder / f'one{rank}').mkdir()
        (folder / f'one{rank}/train.log').write_text(job.log(rank))
        subprocess.run([tracedb, 'import', '-q', '--host', 'here', '-o', f'rank{rank}.db', f'one{rank}'], cwd=folder, check=True)
    own, _ = report(tracedb, folder, 'phases', 2)
    aligned, said = report(tracedb, folder, 'phases', 2, '--align')
    if own != aligned or 'clock:' in said:
        yield f'one machine: times are moved: {said}'


def main(tracedb):
    tracedb, widths, found = os.path.abspath(os.environ.get('TRACEDB_PLAIN', tracedb)), [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(10):
            found += wrong_of(tracedb, Path(folder), seed, widths)
        found += wrong_of_one_machine(tracedb, Path(folder))
    if len(widths) < 10:
        found.append(f'{len(widths)} shifts are too few to tell anything')
    print(f'# {len(widths)} shifts, known to {sorted(widths)[len(widths) // 2] / MS:.3f} ms in the median')
    for text in found[:10]:
        print(text)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
