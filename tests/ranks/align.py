#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of made-up jobs (clocks.py), each with a clock of its own: 'report --side-by-side --align' shows when things were by the clock of the first one, to the
error that it states. Epochs, kernels, calls and the time of errors are held against the true times. 'query --align' moves times by as much, and a time that is asked for is
one moment of all ranks.

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
    for text in wrong_of_query(tracedb, folder / f'{seed}', job, shifts):
        yield f'seed {seed}: {text}'
    for text in wrong_times_asked(tracedb, folder / f'{seed}', job, rows, untold):
        yield f'seed {seed}: {text}'
    if job.epochs:
        rows, _ = report(tracedb, folder / f'{seed}', 'phases', job.ranks, '--align')
        errors = {rank: shifts.get(f'rank{rank}', (0, 0))[1] + PRINTED_NS for rank in range(job.ranks)}
        yield from (f'seed {seed}: {text}' for text in wrong_times(job, [r for r in rows if r['run'] not in untold], errors))


def queried(tracedb, folder, dbs, statements, *options):
    """The rows of each, and what is said: by one run of the program, which takes longest to align the clocks."""
    done = subprocess.run([tracedb, 'query', '-f', 'json', *options, *dbs, '; '.join(statements)], cwd=folder, check=True, text=True, capture_output=True)
    return json.loads(done.stdout), done.stderr


# Of tables and views with times: when a row ends.
TIMED = {'call': 't.start_ns', 'calls': 't.end_ns', 'spans': 't.end_ns', 'events': 't.start_ns'}


def wrong_of_query(tracedb, folder, job, shifts):
    """Calls and epochs of all as one: when they were by the true clock, to the error that rank_clock has, which is that of the report."""
    dbs = [f'rank{rank}.db' for rank in range(job.ranks)]
    (clocks, *moved), said = queried(tracedb, folder, dbs, ['SELECT run, moved_ns, error_ns FROM rank_clock', *(
        f'SELECT t.run, t.start_ns AS moved, {end} - t.start_ns AS dur, count(*) AS n FROM {table} AS t GROUP BY 1, 2, 3' for table, end in TIMED.items())], '--align')
    clock = {row['run']: (row['moved_ns'], row['error_ns']) for row in clocks}
    for run, (by, error) in clock.items():
        want, want_error = shifts.get(run, (0, 0) if run == 'rank0' else (None, None))
        if (by is None) != (want is None) or by is not None and (abs(by - want) > PRINTED_NS or abs(error - want_error) > PRINTED_NS):
            yield f'query: {run} is moved by {by} +- {error}, not by {want} +- {want_error}'
    if shifts_of(said) != shifts:
        yield f'query says {said!r}'
    for rank, db in enumerate(dbs):
        own, _ = queried(tracedb, folder, [db], [
            f'SELECT t.start_ns AS own, {end} - t.start_ns AS dur, count(*) AS n FROM {table} AS t GROUP BY 1, 2' for table, end in TIMED.items()])
        by = clock[f'rank{rank}'][0] or 0
        for table, rows, rows_own in zip(TIMED, moved, own):
            want = sorted((row['own'] + by, row['dur'] or 0, row['n']) for row in rows_own if row['own'] is not None)
            got = sorted((row['moved'], row['dur'] or 0, row['n']) for row in rows if row['run'] == f'rank{rank}' and row['moved'] is not None)
            if got != want:
                yield f'query: {table} of rank {rank} is not moved by {by}'


def wrong_times_asked(tracedb, folder, job, aligned, untold):
    """A stretch of the first rank's time, by dates and from its begin, has what is in it by the clock of all; who has no such clock goes by its own."""
    starts = sorted(row['start_ns'] for row in aligned if row['run'] == 'rank0')
    if len(starts) < 4:
        return
    begin = queried(tracedb, folder, ['rank0.db'], ['SELECT start_ns FROM run'])[0][0]['start_ns']
    since, until = starts[len(starts) // 4], starts[3 * len(starts) // 4]
    inside = [row for row in aligned if since <= row['start_ns'] < until]
    rows, _ = report(tracedb, folder, 'slowest', job.ranks, '--limit', '1000', '--align', '--filter-time', f'{since}/{until}')
    key = lambda row: (row['run'], row['start_ns'], row['dur_ns'])
    if sorted(map(key, rows)) != sorted(map(key, inside)):
        yield f'{since}/{until}: {len(rows)} calls, not {len(inside)}'
    yield from wrong_merged(tracedb, folder, job, since, until, inside)
    told = {f'rank{rank}' for rank in range(job.ranks)} - untold
    rows, _ = report(tracedb, folder, 'slowest', job.ranks, '--limit', '1000', '--align', '--filter-time', f'{since - begin}ns/{until - begin}ns')
    if sorted(key(row) for row in rows if row['run'] in told) != sorted(key(row) for row in inside if row['run'] in told):
        yield f'from the begin, {since - begin}/{until - begin}: {len(rows)} calls, not {len(inside)}'


def wrong_merged(tracedb, folder, job, since, until, inside):
    """One report of all has the calls of the stretch, and when the first and the last of them was, by the clock of the first rank."""
    dbs = [f'rank{rank}.db' for rank in range(job.ranks)]
    done = subprocess.run([tracedb, 'report', 'io_by_process', '--merged', '--align', '-f', 'json', '--filter-time', f'{since}/{until}', *dbs],
                          cwd=folder, check=True, text=True, capture_output=True)
    rows = json.loads(done.stdout)
    got = (sum(row['opens'] for row in rows), min(row['first_ns'] for row in rows), max(row['last_ns'] for row in rows))
    want = (sum('open' in row['op'] for row in inside), min(row['start_ns'] for row in inside), max(row['start_ns'] for row in inside))
    if got != want:
        yield f'merged, {since}/{until}: {got}, not {want}'
    moved = set(re.findall(r'(rank\d+)\.db: clock: ', done.stderr))
    if moved != {row for row in dbs for row in [row.removesuffix('.db')] if row != 'rank0'}:
        yield f'merged: says nothing of some clocks: {done.stderr}'
    for options, why in ((('osrt_sum', '--merged'), 'shows no times'), (('io_by_process', '--partial', '-o', 'x'), 'a partial is of those that are here')):
        done = subprocess.run([tracedb, 'report', *options, '--align', *dbs], cwd=folder, check=False, text=True, capture_output=True)
        if done.returncode != 2 or why not in done.stderr:
            yield f'{options}: {done.returncode}, {done.stderr}'


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
