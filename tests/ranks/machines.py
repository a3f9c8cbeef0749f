#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of made-up jobs (clocks.py) in one database, each of a machine whose clock is off: 'report nccl' matches their collectives, as 'report stragglers' does, and who
was last and how long others waited is what the job did, to the error that it states.

usage: machines.py TRACEDB"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from clocks import ALONE, MS, ROUNDING_NS, Job, trace  # pylint: disable=wrong-import-position


def shown(name):
    """A collective as reports have it."""
    return name.removeprefix('void ').split('(', maxsplit=1)[0]


def rows_of(tracedb, folder, job, *options):
    """Of report nccl: {(collective, rank): row}."""
    (folder / 'all.db').unlink(missing_ok=True)
    for rank in range(job.ranks):
        (folder / 'trace.json').write_text(trace(list(job.of_rank(rank, **dict(options) if rank else {})), rank))
        subprocess.run([tracedb, 'import', '-q', '--host', f'm{rank}', '--rank', str(rank), *(['--append'] if rank else []), '-o', 'all.db', 'trace.json'], cwd=folder, check=True)
    done = subprocess.run([tracedb, 'report', 'nccl', '-f', 'csv', 'all.db'], cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
    return {(row['collective'], int(row['rank'])): row for row in csv.DictReader(io.StringIO(done.stdout))}


def wrong_stragglers(tracedb, folder, job):
    """The same collectives are matched."""
    done = subprocess.run([tracedb, 'report', 'stragglers', '-f', 'csv', 'all.db'], cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
    instances = {(row['what'], int(row['rank'])): int(row['instances']) for row in csv.DictReader(io.StringIO(done.stdout))}
    for name in {name for name, _ in job.collectives} - {ALONE}:
        for rank in range(job.ranks):
            want, got = sum(other == name for other, _ in job.collectives), instances.get((shown(name), rank))
            if got != want:
                yield f'stragglers: {name}, rank {rank}: {got} collectives, not {want}'


def wrong_row(job, rank, times, row, error):
    """times: [(begin, end) of each rank] of each collective of the name."""
    begins = [[begin for begin, _ in of] for of in times]
    waited = sum(max(of) - of[rank] for of in begins)
    others = [max(of[:rank] + of[rank + 1:]) for of in begins]
    surely, maybe = (sum(of[rank] - other > by for of, other in zip(begins, others)) for by in (error, -error))
    if int(row['matched']) != len(times) or int(row['kernels']) != len(times):
        yield f'{row["matched"]} of {row["kernels"]} are matched, not {len(times)}'
    elif abs(int(row['waited_ns']) - waited) > error * len(times):
        yield f'waited {row["waited_ns"]}, not {waited} +- {error} each'
    elif not surely <= int(row['last']) <= maybe:
        yield f'last {row["last"]} times, not {surely} .. {maybe}'
    elif surely == maybe > 0 and abs(int(row['late_ns']) - sum(of[rank] - min(of) for of, other in zip(begins, others) if of[rank] > other)) > error * maybe:
        yield f'late by {row["late_ns"]}'


def wrong_epochs(tracedb, folder, seed):
    """By logs in milliseconds beside the traces: when ranks end them is known to the error that is stated, too."""
    job = Job(random.Random(seed))
    if not job.epochs:
        return
    (folder / 'both.db').unlink(missing_ok=True)
    for rank in range(job.ranks):
        (folder / 'trace.json').write_text(trace(list(job.of_rank(rank)), rank))
        (folder / 'train.log').write_text(job.log(rank))
        for name in ('trace.json', 'train.log'):
            more = ['--append'] if (folder / 'both.db').exists() else []
            subprocess.run([tracedb, 'import', '-q', '--host', f'm{rank}', '--rank', str(rank), *more, '-o', 'both.db', name], cwd=folder, check=True)
    done = subprocess.run([tracedb, 'report', 'stragglers', '-f', 'csv', 'both.db'], cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        ends = [[end for _, end in of] for of in job.epochs]
        late = sum(of[int(row['rank'])] - min(of) for of in ends)
        if row['what'] == 'epoch' and row['clock_error_ns'] and abs(int(row['late_ns']) - late) > int(row['clock_error_ns']) * len(ends):
            yield f'seed {seed}: epochs, late by {late}: {row}'


def wrong_of(tracedb, folder, seed, errors):
    job = Job(random.Random(seed))
    rows = rows_of(tracedb, folder, job)
    yield from (f'seed {seed}: {text}' for text in wrong_stragglers(tracedb, folder, job))
    bounded = any(name != ALONE for name, _ in job.collectives)
    for name in {name for name, _ in job.collectives}:
        times = [times for other, times in job.collectives if other == name]
        worst = ROUNDING_NS + max(int(row['clock_error_ns'] or 0) for row in rows.values())
        for rank in range(job.ranks):
            row = rows[(shown(name), rank)]
            where = f'seed {seed}, {name}, rank {rank}'
            if not bounded:
                if row['matched'] or row['clock_error_ns']:
                    yield f'{where}: nothing bounds a clock, and {row}'
                continue
            error = int(row['clock_error_ns']) + ROUNDING_NS
            errors.append(error)
            if name != ALONE:
                yield from (f'{where}: {text}: {row}' for text in wrong_row(job, rank, times, row, error))
            elif int(row['matched']) > sum(max(begin for begin, _ in of) <= min(end for _, end in of) + 2 * worst for of in times):
                yield f'{where}: what was not on its GPU at one time is matched: {row}'


def wrong_if_set(tracedb, folder):
    """A clock that is set by a minute: no difference fits, and nothing is matched."""
    job = next(job for job in map(Job, map(random.Random, range(1000))) if job.bounds(1)[0] > 10)
    for row in rows_of(tracedb, folder, job, ('set_by', 60 * 1000 * MS)).values():
        if row['matched'] or row['waited_ns'] or row['clock_error_ns']:
            yield f'a clock that was set: {row}'


def main(tracedb):
    tracedb, errors, found = os.path.abspath(os.environ.get('TRACEDB_PLAIN', tracedb)), [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(30):
            found += wrong_of(tracedb, Path(folder), seed, errors)
        for seed in range(100, 108):
            found += wrong_epochs(tracedb, Path(folder), seed)
        found += wrong_if_set(tracedb, Path(folder))
    if len(errors) < 100:
        found.append(f'{len(errors)} rows are too few to tell anything')
    print(f'# {len(errors)} rows, clocks known to {sorted(errors)[len(errors) // 2] / MS:.3f} ms in the median')
    for text in found[:10]:
        print(text)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
