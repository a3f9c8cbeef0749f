#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks of made-up jobs, each with a clock of its own: by how much it is ahead is always in the ranges that
examples/sql/ranks/rank_clocks.sql states, by collectives, by epochs and by checkpoints, and one that was set in between is in none.

usage: clocks.py TRACEDB SQL      with $TRACEDB_CORPUS two ranks of one machine, too"""
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MS, SEC = 10**6, 10**9
ROUNDING_NS = 1000  # of a trace, or of strace's times, on both sides together
NAMES = ('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'ncclKernel_AllGather_RING_LL_Sum_int8_t',
         'void ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL')
ALONE = 'ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)'  # its sender waits for nobody

INFINITE = 10**19


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
        self.epochs = list(self.some_epochs(r))
        self.calls = [[] for _ in range(self.ranks)]  # (begin, end, text), in true time
        for i in range(r.randrange(0, 6)):
            self.checkpoint(r, f'/shared/job/ckpt_{i}', at + i * 100 * SEC)
        self.traps(r, at)
        for calls in self.calls:
            calls.sort()

    def traps(self, r, at):
        """What tells nothing: a path on each machine, by where it is and by what is done with it, and one that is removed before others look."""
        look = lambda path: f'openat(AT_FDCWD, "{path}", O_RDONLY)'
        for rank, calls in enumerate(self.calls):
            calls.append(call(r, at + rank * 50 * SEC, 'mkdir("/data/checkpoints", 0777)', 0))
            for path in ('/tmp/ckpt', '/shared/job/checkpoint.log'):
                calls.append(call(r, at + (1000 + rank) * SEC, f'mkdir("{path}", 0777)', 0) if rank == 0 else call(r, at + 2000 * SEC, look(path), -2))
        self.calls[0].append(call(r, at + 1500 * SEC, 'rmdir("/shared/job/checkpoint.log")', 0))

    def some_epochs(self, r):
        """[(begin, end) of each rank]: all begin one before any of them ends it."""
        at = 1_700_000_000 * SEC
        for _ in range(r.randrange(0, 5)):
            begins = [at + r.randrange(0, 2 * SEC) for _ in range(self.ranks)]
            yield [(begin, max(begins) + r.randrange(MS, 9 * SEC)) for begin in begins]
            at += 60 * SEC

    def checkpoint(self, r, path, at):
        """One rank makes it, others look whether it is there. What a call finds is so at some moment of it."""
        maker, how = r.randrange(self.ranks), r.choice(('mkdir', 'open', 'rename'))
        text = {'mkdir': f'mkdir("{path}", 0777)', 'open': f'openat(AT_FDCWD, "{path}", O_WRONLY|O_CREAT, 0666)', 'rename': f'rename("{path}.tmp", "{path}")'}[how]
        begin, end, _ = made = call(r, at + 20 * SEC, text, 3 if how == 'open' else 0)
        there = r.randrange(begin, end + 1)
        for rank in range(self.ranks):
            if rank == maker:
                if r.randrange(2):
                    self.calls[rank].append(call(r, begin - r.randrange(MS, SEC), f'openat(AT_FDCWD, "{path}", O_RDONLY)', -2))
                self.calls[rank].append(made)
                continue
            look, every = at + r.randrange(0, 40 * SEC), r.randrange(MS, 5 * SEC)
            while True:
                look_begin, look_end, _ = call(r, look, '', 0)
                found = r.randrange(look_begin, look_end + 1) >= there
                what = r.choice((f'openat(AT_FDCWD, "{path}", O_RDONLY)', f'newfstatat(AT_FDCWD, "{path}", {{st_mode=S_IFREG|0644, st_size=5, ...}}, 0)'))
                self.calls[rank].append((look_begin, look_end, f'{what} = {result(3 if found else -2)}'))
                if found:
                    break
                look += every

    def log(self, rank):
        """As MLPerf's, in milliseconds."""
        line = lambda at, kind, key, number: (f':::MLLOG {{"namespace": "", "time_ms": {(at + self.ahead[rank]) // MS}, "event_type": "INTERVAL_{kind}", '
                                              f'"key": "{key}", "value": null, "metadata": {{"epoch_num": {number}}}}}\n')
        return ''.join(line(times[rank][0], 'START', 'epoch_start', i) + line(times[rank][1], 'END', 'epoch_stop', i) for i, times in enumerate(self.epochs))

    def strace(self, rank):
        ahead = self.ahead[rank]
        return ''.join(f'7 {(begin + ahead) // SEC}.{(begin + ahead) % SEC // 1000:06} {text} <{(end - begin) // 1000 / 10**6:.6f}>\n' for begin, end, text in self.calls[rank])

    def of_rank(self, rank, set_by=0):
        """Its kernels by its own clock, which is set forward halfway."""
        for i, (name, times) in enumerate(self.collectives):
            ahead = self.ahead[rank] + (set_by if i >= len(self.collectives) // 2 else 0)
            yield name, times[rank][0] + ahead, times[rank][1] + ahead

    def bounds(self, rank):
        """By collectives: (how many, least, most)"""
        pairs = [(a, b) for a, b in zip(self.of_rank(0), self.of_rank(rank)) if a[0] != ALONE]
        if not pairs:
            return 0, None, None
        return (len(pairs), max(begin - end for (_, _, end), (_, begin, _) in pairs) - ROUNDING_NS,
                min(end - begin for (_, begin, _), (_, _, end) in pairs) + ROUNDING_NS)


def result(ret):
    return '-1 ENOENT (No such file or directory)' if ret == -2 else ret


def call(r, at, text, ret):
    return at, at + r.randrange(2000, 10**6), f'{text} = {result(ret)}'


def trace(kernels, rank):
    """As PyTorch writes it: microseconds with three decimals, since a base in nanoseconds."""
    base = kernels[0][1]
    micros = lambda ns: f'{ns // 1000}.{ns % 1000:03}'
    events = [f'{{"ph": "X", "cat": "kernel", "name": {json.dumps(name)}, "pid": 0, "tid": 7, "ts": {micros(begin - base)}, "dur": {micros(end - begin)}, '
              f'"args": {{"device": 0, "stream": 7, "correlation": {i}}}}}' for i, (name, begin, end) in enumerate(kernels)]
    return (f'{{"schemaVersion": 1, "distributedInfo": {{"backend": "nccl", "rank": {rank}}}, "deviceProperties": [{{"id": 0, "name": "GPU"}}],\n'
            f'"baseTimeNanoseconds": {base}, "traceEvents": [\n' + ',\n'.join(events) + '\n]}\n')


def asked(tracedb, sql, folder, ranks):
    """ranks: {rank: {name: text}}. {rank: {by: (events, least, most)}}"""
    for rank, files in ranks.items():
        shutil.rmtree(folder / f'rank{rank}', ignore_errors=True)
        (folder / f'rank{rank}').mkdir()
        for name, text in files.items():
            (folder / f'rank{rank}' / name).write_text(text)
        subprocess.run([tracedb, 'import', '-q', '--force', '-o', f'rank{rank}.db', f'rank{rank}'], cwd=folder, check=True)
    done = subprocess.run([tracedb, 'query', '-f', 'csv', *(f'rank{rank}.db' for rank in ranks)], cwd=folder, check=True, text=True,
                          input=sql, stdout=subprocess.PIPE)
    number = lambda text: int(text) if text else None
    got = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        got.setdefault(int(row['rank']), {})[row['by']] = tuple(number(row[key]) for key in ('events', 'ahead_min_ns', 'ahead_max_ns'))
    return got


def files_of(job, rank):
    return {'trace.json': trace(list(job.of_rank(rank)), rank), 'calls.txt': job.strace(rank)} | ({'train.log': job.log(rank)} if job.epochs else {})


def wrong_of(tracedb, sql, folder, seed, widths):
    job = Job(random.Random(seed))
    got = asked(tracedb, sql, folder, {rank: files_of(job, rank) for rank in range(job.ranks)})
    for rank in range(1, job.ranks):
        want, has = job.bounds(rank), got.get(rank, {})
        if has.get('collectives', (0, None, None)) != want:
            yield f'seed {seed}, rank {rank}: {has}, not {want}'
        if has.get('phases', (0,))[0] != len(job.epochs):
            yield f'seed {seed}, rank {rank}: {has}, not {len(job.epochs)} epochs'
        for by, (events, least, most) in has.items():
            if (least is None and most is None) != (events == 0) or not (least or -INFINITE) <= job.ahead[rank] <= (most or INFINITE):
                yield f'seed {seed}, rank {rank}, {by}: {job.ahead[rank]} is not in {least} .. {most}, of {events}'
            widths.setdefault(by, []).append(INFINITE if least is None or most is None else most - least)


def wrong_if_set(tracedb, sql, folder):
    """A clock that is set by a minute: no difference fits collectives before and after."""
    job = next(job for job in map(Job, map(random.Random, range(1000))) if job.bounds(1)[0] > 10)
    kernels = {rank: {'trace.json': trace(list(job.of_rank(rank, set_by=60 * SEC if rank == 1 else 0)), rank)} for rank in range(2)}
    got = asked(tracedb, sql, folder, kernels)
    if got[1]['collectives'] != (job.bounds(1)[0], None, None) or got[1]['(all)'][1:] != (None, None):
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
    row, = (row for row in csv.DictReader(io.StringIO(done.stdout)) if row['by'] == 'collectives')
    if not int(row['ahead_min_ns']) <= 0 <= int(row['ahead_max_ns']):
        yield f'two GPUs of one machine: {row}'


def main(tracedb, sql):
    tracedb, sql = os.path.abspath(os.environ.get('TRACEDB_PLAIN', tracedb)), Path(sql).read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as folder:
        widths = {}
        found = [text for seed in range(20) for text in wrong_of(tracedb, sql, Path(folder), seed, widths)]
        for by, all_of in widths.items():
            both = [width for width in all_of if width < INFINITE]
            print(f'# {by}: {len(all_of)} ranges, {len(both)} of them with both ends, median width {sorted(both)[len(both) // 2] / MS:.3f} ms')
            if len(both) < 10:
                found.append(f'{by}: too few ranges to tell anything')
        found += wrong_if_set(tracedb, sql, Path(folder))
        found += wrong_on_one_machine(tracedb, sql, Path(folder))
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
