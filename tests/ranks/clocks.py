#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of made-up jobs, each with a clock of its own: by how much it is ahead is always in the range that
examples/sql/ranks/rank_clocks.sql states, and one that was set in between is in none.

usage: clocks.py TRACEDB SQL      with $TRACEDB_CORPUS two ranks of one machine, too"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SEC = 10**9
ROUNDING_NS = 1000
NAMES = ('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'ncclKernel_AllGather_RING_LL_Sum_int8_t',
         'void ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL')
ALONE = 'ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)'  # its sender waits for nobody


class Job:
    """Collectives as (name, [(begin, end) of each rank]), in true time."""

    def __init__(self, r):
        self.ranks = r.randrange(2, 5)
        self.ahead = [0] + [r.randrange(-3600 * SEC, 3600 * SEC) for _ in range(1, self.ranks)]
        self.collectives, at = [], 1_700_000_000 * SEC
        for _ in range(r.randrange(1, 40)):
            name = r.choice(NAMES + (ALONE,))
            begins = [at + r.randrange(0, r.choice((1000, 10**6, 10**8))) for _ in range(self.ranks)]
            last = max(begins)
            ends = [(begin if name == ALONE else last) + r.randrange(100, 10**6) for begin in begins]
            self.collectives.append((name, list(zip(begins, ends))))
            at = max(ends) + r.randrange(1000, SEC)

    def of_rank(self, rank, set_by=0):
        """Its kernels by its own clock, which is set forward halfway."""
        for i, (name, times) in enumerate(self.collectives):
            ahead = self.ahead[rank] + (set_by if i >= len(self.collectives) // 2 else 0)
            yield name, times[rank][0] + ahead, times[rank][1] + ahead

    def bounds(self, rank):
        """(how many collectives, least, most)"""
        pairs = [(a, b) for a, b in zip(self.of_rank(0), self.of_rank(rank)) if a[0] != ALONE]
        if not pairs:
            return 0, None, None
        return (len(pairs), max(begin - end for (_, _, end), (_, begin, _) in pairs) - ROUNDING_NS,
                min(end - begin for (_, begin, _), (_, _, end) in pairs) + ROUNDING_NS)


def trace(kernels, rank):
    """As PyTorch writes it: microseconds with three decimals, since a base in nanoseconds."""
    base = kernels[0][1]
    micros = lambda ns: f'{ns // 1000}.{ns % 1000:03}'
    events = [f'{{"ph": "X", "cat": "kernel", "name": {json.dumps(name)}, "pid": 0, "tid": 7, "ts": {micros(begin - base)}, "dur": {micros(end - begin)}, '
              f'"args": {{"device": 0, "stream": 7, "correlation": {i}}}}}' for i, (name, begin, end) in enumerate(kernels)]
    return (f'{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}}}, "deviceProperties": [{{"id": 0, "name": "GPU"}}],\n'
            f'"baseTimeNanoseconds": {base}, "traceEvents": [\n' + ',\n'.join(events) + '\n]}\n')


def asked(tracedb, sql, folder, ranks):
    """{rank: (collectives, least, most)}"""
    for rank, text in ranks.items():
        (folder / f'rank{rank}.json').write_text(text)
        subprocess.run([tracedb, 'import', '-q', '--force', '-o', f'rank{rank}.db', f'rank{rank}.json'], cwd=folder, check=True)
    done = subprocess.run([tracedb, 'query', '-f', 'csv', *(f'rank{rank}.db' for rank in ranks)], cwd=folder, check=True, text=True,
                          input=sql, stdout=subprocess.PIPE)
    number = lambda text: int(text) if text else None
    return {int(row['rank']): tuple(number(row[key]) for key in ('collectives', 'ahead_min_ns', 'ahead_max_ns'))
            for row in csv.DictReader(io.StringIO(done.stdout))}


def wrong_of(tracedb, sql, folder, seed):
    job = Job(random.Random(seed))
    got = asked(tracedb, sql, folder, {rank: trace(list(job.of_rank(rank)), rank) for rank in range(job.ranks)})
    for rank in range(1, job.ranks):
        want = job.bounds(rank)
        if got.get(rank) != want:
            yield f'seed {seed}, rank {rank}: {got.get(rank)}, not {want}'
        elif want[0] and not got[rank][1] <= job.ahead[rank] <= got[rank][2]:
            yield f'seed {seed}, rank {rank}: {job.ahead[rank]} is not in {got[rank]}'


def wrong_if_set(tracedb, sql, folder):
    """A clock that is set by a minute: no difference fits collectives before and after."""
    job = next(job for job in map(Job, map(random.Random, range(1000))) if job.bounds(1)[0] > 10)
    kernels = {rank: trace(list(job.of_rank(rank, set_by=60 * SEC if rank == 1 else 0)), rank) for rank in range(2)}
    got = asked(tracedb, sql, folder, kernels)
    if got[1] != (job.bounds(1)[0], None, None):
        yield f'a clock that was set: {got[1]}'


def wrong_on_one_machine(tracedb, sql, folder):
    """Two GPUs of one machine have its clock: 0 is in the range."""
    recorded = Path(os.environ.get('TRACEDB_CORPUS', '/nonexistent')).parent / 'gpu/h200x2_ddp'
    if not recorded.is_dir():
        return
    for rank in range(2):
        subprocess.run([tracedb, 'import', '-q', '-o', f'h200.{rank}.db', recorded / f'kineto_second_run.{rank}.json.gz'], cwd=folder, check=True)
    done = subprocess.run([tracedb, 'query', '-f', 'csv', 'h200.0.db', 'h200.1.db'], cwd=folder, check=True, text=True, input=sql,
                          stdout=subprocess.PIPE)
    row, = csv.DictReader(io.StringIO(done.stdout))
    if not int(row['ahead_min_ns']) <= 0 <= int(row['ahead_max_ns']):
        yield f'two GPUs of one machine: {row}'


def main(tracedb, sql):
    tracedb, sql = os.path.abspath(os.environ.get('TRACEDB_PLAIN', tracedb)), Path(sql).read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as folder:
        found = [text for seed in range(12) for text in wrong_of(tracedb, sql, Path(folder), seed)]
        found += wrong_if_set(tracedb, sql, Path(folder))
        found += wrong_on_one_machine(tracedb, sql, Path(folder))
    for text in found:
        print(text)
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
