#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs with planted stalls: each is of one cause, and each cause must be found. Where the kernels are traced the time of each is known to within
2 %, the longest stretch and its process too; where the GPU is only sampled (pmon) it lies in the range. Of two ranks each has its own causes, and
what only the other one is at is 'other ranks at work'; of two GPUs that one process works on all causes are those of both. Of any stretch of time,
widened to segments, the same holds, and the parts are all of it.

usage: planted.py TRACEDB [RUNS]      TRACEDB, which may have sanitizers, is held against the first two, the program in $TRACEDB_PLAIN, if
       that is set, against the others"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from truth import SEC, Cover, build, intersect, put_down, subtract, union

MS = SEC // 1000
START_NS = 1_700_000_000 * SEC
TRAINS, LOADS = 5000, 5001
# how each shows in the sources; in the order in which one counts before the other
CALLS = {'file read': (LOADS, 'read(3</data/x.npy>, ""..., 10) = 10'), 'file write': (TRAINS, 'write(4</data/y.pt>, ""..., 10) = 10'),
         'other file I/O': (LOADS, 'openat(AT_FDCWD, "/data/z", O_RDONLY) = 5'), 'loader asleep': (LOADS, 'clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=1}, NULL) = 0'),
         'lock, queue or pipe': (TRAINS, 'futex(0x7f0000000010, FUTEX_WAIT_PRIVATE, 2, NULL) = 0')}
SPANS = {'waiting for a loader': ('user_annotation', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'), 'CUDA call': ('cuda_runtime', 'cudaMalloc'),
         'other ranks': ('cpu_op', 'c10d::barrier'), 'launching operators': ('cpu_op', 'aten::conv3d')}
PHASES = {'evaluation': 'eval', 'initialisation': 'init'}
ORDER = ('file read', 'file write', 'other file I/O', 'loader asleep', 'waiting for a loader', 'lock, queue or pipe', 'CUDA call', 'other ranks',
         'launching operators', 'evaluation', 'initialisation')


class Run:
    def __init__(self, seed):
        r = random.Random(seed)
        self.planted, self.busy, at = {cause: [] for cause in (*ORDER, None)}, [], START_NS + SEC
        for cause in r.choices((*ORDER, None), k=40) + [*ORDER, None]:
            length = r.randrange(20, 900) * MS
            self.busy.append((at, at + r.randrange(10, 400) * MS))
            at = self.busy[-1][1]
            self.planted[cause].append((at, at + length))
            at += length
            if r.random() < 0.3:    # work meanwhile: it goes on while the GPU is busy
                cause = r.choice(ORDER[:4])
                self.planted[cause].append((at + MS, at + 5 * MS))
        self.busy.append((at, at + 100 * MS))
        self.end = at + 100 * MS

    def causes(self, traced):
        return put_down([(c, self.planted[c] if traced or c not in SPANS else []) for c in ORDER], (START_NS, self.end + SEC))

    def call(self, pid, start, end, text):
        return start, f'{pid} {start // SEC}.{start % SEC // 1000:06} {text} <{(end - start) // SEC}.{(end - start) % SEC // 1000:06}>'

    def strace(self):
        yield self.call(TRAINS, START_NS, START_NS + MS, f'clone(child_stack=NULL, flags=SIGCHLD) = {LOADS}')
        for cause, (pid, text) in CALLS.items():
            yield from (self.call(pid, a, b, text) for a, b in self.planted[cause])
        yield self.call(TRAINS, self.end + SEC, self.end + SEC, 'getpid() = 5000')

    def kineto(self):
        us = [{'ph': 'X', 'cat': cat, 'name': name, 'pid': TRAINS, 'tid': TRAINS, 'ts': (a - START_NS) / 1000, 'dur': (b - a) / 1000, 'args': {}}
              for cause, (cat, name) in SPANS.items() for a, b in self.planted[cause]]
        us += [{'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'pid': 0, 'tid': 7, 'ts': (a - START_NS) / 1000, 'dur': (b - a) / 1000,
                'args': {'device': 0, 'stream': 7, 'correlation': n}} for n, (a, b) in enumerate(self.busy)]
        us += [{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': TRAINS, 'tid': TRAINS, 'ts': (a - START_NS) / 1000, 'dur': 0,
                'args': {'correlation': n}} for n, (a, b) in enumerate(self.busy)]
        return json.dumps({'schemaVersion': 1, 'baseTimeNanoseconds': START_NS, 'traceEvents': us})

    def pmon(self):
        yield '#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command'
        yield '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name'
        busy = Cover(self.busy)
        for at in range(START_NS + 150 * MS, self.end + SEC, 1003 * MS):
            share = round(100 * busy.within([(at - 1003 * MS, at)]) / (1003 * MS))
            yield f' {datetime.fromtimestamp(at // SEC, timezone.utc):%Y%m%d   %H:%M:%S}      0{TRAINS:>11}     C{share:>6}     0     -     -  1200   python'

    def log(self):
        for cause, name in PHASES.items():
            for n, (a, b) in enumerate(self.planted[cause]):
                for kind, key, ns in (('INTERVAL_START', 'start', a), ('INTERVAL_END', 'stop', b)):
                    yield ':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': ns // MS, 'event_type': kind, 'key': f'{name}_{key}', 'value': None,
                                                    'metadata': {'file': 'x.py', 'lineno': 1, 'epoch_num': n}})

    def write(self, folder, traced):
        folder.mkdir()
        (folder / 'calls.strace').write_text(''.join(f'{line}\n' for _, line in sorted(self.strace())))
        (folder / 'train.log').write_text('\n'.join(self.log()) + '\n')
        if traced:
            (folder / 'kineto.json').write_text(self.kineto())
        else:
            (folder / 'gpu.out').write_text('\n'.join(self.pmon()) + '\n')


def check(db, run, traced):
    looked = db.execute('SELECT g.start_ns, g.start_ns + s.dur_ns FROM gpu_segment AS g JOIN segment AS s USING (start_ns)').fetchall()
    idle = subtract(union(looked), Cover(run.busy).intervals)
    said = {cause: (low, high) for cause, low, high in db.execute(
        "SELECT cause, idle_min_ns, idle_max_ns FROM gpu_idle_part WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL")}
    for cause, cover in run.causes(traced).items():
        true = sum(b - a for a, b in intersect(idle, cover.intervals))
        low, high = said.get(cause, (0, 0))
        slack = 0.02 * true if traced else 0
        if not low - slack - MS <= true <= high + slack + MS or (traced and low != high):
            yield f'{cause}: {true / SEC:.3f} s, said {low / SEC:.3f} .. {high / SEC:.3f}'
    all_ns, = db.execute("SELECT wall_ns - busy_min_ns FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL").fetchone()
    if traced and all_ns != sum(low for low, _ in said.values()):
        yield f'the parts are {sum(low for low, _ in said.values())} ns, all is {all_ns}'
    for cause in ORDER if traced else ():
        length = max(b - a for a, b in intersect(idle, run.causes(traced)[cause].intervals))
        row = db.execute('SELECT max(s.idle_max_ns), p.pid FROM gpu_idle_stretch AS s LEFT JOIN process AS p ON p.id = s.process_id WHERE cause = ?', (cause,)).fetchone()
        pid = CALLS[cause][0] if cause in CALLS else TRAINS if cause in SPANS else None
        if abs(row[0] - length) > 0.02 * length + MS or row[1] != pid:
            yield f'{cause}: the longest is {length / SEC:.3f} s of {pid}, said {row[0] / SEC:.3f} of {row[1]}'


def windows(tracedb, db, path, busy, causes, traced):
    """Some stretches of time of the run; busy and causes: by number of the GPU."""
    first, last = db.execute('SELECT start_ns, end_ns FROM run').fetchone()
    r = random.Random(last)
    for _ in range(3):
        a, b = sorted(r.uniform(0, (last - first) / SEC) for _ in range(2))
        said = subprocess.run([tracedb, 'report', 'gpu_idle', '--filter-time', f'{a:.3f}s/{b:.3f}s', '-f', 'csv', path], capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(said.stdout.splitlines()))
        for gpu in {row['gpu'] for row in rows}:
            of = [row for row in rows if row['gpu'] == gpu]
            at = [(int(of[0]['start_ns']), int(of[0]['end_ns']))]
            if at[0][0] > first + a * SEC + SEC or at[0][1] < first + b * SEC - SEC:
                yield f'{a:.3f} .. {b:.3f} s: looked at {at}'
            looked = intersect(at, union(db.execute('SELECT g.start_ns, g.start_ns + s.dur_ns FROM gpu_segment AS g JOIN segment AS s USING (start_ns)'
                                                    ' JOIN device AS d ON d.id = g.device_id WHERE d.number = ?', (gpu,)).fetchall()))
            idle = subtract(looked, Cover(busy[int(gpu)]).intervals)
            for row in of:
                low, high, all_of_it = int(row['idle_min_ns']), int(row['idle_max_ns']), row['cause'] == '(all)'
                true = sum(b - a for a, b in (idle if all_of_it else intersect(idle, causes[int(gpu)][row['cause']].intervals)))
                slack = MS + (0.02 * true if traced else 0)
                if not low - slack <= true <= high + slack or (traced and low != high):
                    yield f'{a:.3f} .. {b:.3f} s, GPU {gpu}, {row["cause"]}: {true / SEC:.3f} s, said {low / SEC:.3f} .. {high / SEC:.3f}'
            parts = sum(int(row['idle_min_ns']) for row in of if row['cause'] != '(all)')
            if traced and parts != int(of[0]['idle_min_ns']):
                yield f'{a:.3f} .. {b:.3f} s, GPU {gpu}: the parts are {parts} ns, all is {of[0]["idle_min_ns"]}'


class Ranks:
    """Two ranks, whose GPUs idle at other times and for other causes; each leaves a bit of work on the GPU of the other."""
    OWN = ('file read', 'file write', 'loader asleep', 'other ranks')
    SHARE = 0.01

    def __init__(self, seed, parties):
        r = random.Random(seed)
        self.parties, self.busy = parties, [[], []]
        self.planted = [{cause: [] for cause in self.OWN} for _ in range(2)]
        for rank in range(2):
            at = START_NS + SEC + r.randrange(300) * MS
            for cause in r.choices((*self.OWN, None), k=40) + [*self.OWN, None]:
                self.busy[rank].append((at, at + r.randrange(50, 400) * MS))
                at = self.busy[rank][-1][1]
                length = r.randrange(20, 900) * MS
                if cause:
                    self.planted[rank][cause].append((at, at + length))
                at += length
            self.busy[rank].append((at, at + 100 * MS))
        self.end = max(b[-1][1] for b in self.busy)

    def pids(self, rank):
        """Who trains, and who loads."""
        return 5000 + 1000 * rank * (self.parties == 2), 5001 + 1000 * rank

    def causes(self, rank):
        own, other = self.planted[rank], self.planted[1 - rank]
        if self.parties == 1:
            pairs = [(c, own[c] + other[c]) for c in self.OWN]
        else:
            pairs = [(c, own[c]) for c in self.OWN] + [('other ranks at work', [i for c in self.OWN[:3] for i in other[c]])]
        return put_down(pairs, (START_NS, self.end + SEC))

    def strace(self):
        call = Run.call
        for rank in range(2):
            trains, loads = self.pids(rank)
            yield call(self, trains, START_NS, START_NS + MS, f'clone(child_stack=NULL, flags=SIGCHLD) = {loads}')
            for cause in self.OWN[:3]:
                pid = trains if CALLS[cause][0] == TRAINS else loads
                yield from (call(self, pid, a, b, CALLS[cause][1]) for a, b in self.planted[rank][cause])
        yield call(self, 5000, self.end + SEC, self.end + SEC, 'getpid() = 5000')

    def kineto(self, rank):
        def event(cat, name, pid, a, b, **args):
            return {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': pid or 7, 'ts': (a - START_NS) / 1000, 'dur': (b - a) / 1000, 'args': args}

        trains, n = self.pids(rank)[0], 0
        events = [event('cpu_op', 'c10d::barrier', trains, a, b) for a, b in self.planted[rank]['other ranks']]
        for gpu in range(2):
            mine = gpu == rank or self.parties == 1
            for a, b in self.busy[gpu]:
                if self.parties == 1 and rank == 1:     # the other process has all of the work
                    continue
                n += 1
                end = b if mine else a + round((b - a) * self.SHARE)
                events.append(event('kernel', 'gemm', 0, a, end, device=gpu, stream=7, correlation=n))
                events.append(event('cuda_runtime', 'cudaLaunchKernel', trains, a, a, correlation=n))
        return json.dumps({'schemaVersion': 1, 'baseTimeNanoseconds': START_NS, 'distributedInfo': {'rank': rank, 'world_size': 2}, 'traceEvents': events})

    def write(self, folder):
        folder.mkdir()
        (folder / 'calls.strace').write_text(''.join(f'{line}\n' for _, line in sorted(self.strace())))
        for rank in range(2):
            (folder / f'kineto.{rank}.json').write_text(self.kineto(rank))


def check_ranks(db, run):
    for rank in range(2):
        looked = db.execute('SELECT g.start_ns, g.start_ns + s.dur_ns FROM gpu_segment AS g JOIN segment AS s USING (start_ns) JOIN device AS d ON d.id = g.device_id'
                            ' WHERE d.number = ?', (rank,)).fetchall()
        idle = subtract(union(looked), Cover(run.busy[rank]).intervals)
        said = db.execute("SELECT i.cause, i.idle_min_ns, i.idle_max_ns, i.whose FROM gpu_idle_part AS i JOIN device AS d ON d.id = i.device_id"
                          " WHERE d.number = ? AND label = '(run)' AND start_ns IS NULL AND run_number IS NULL", (rank,)).fetchall()
        ranges = {cause: (low, high) for cause, low, high, _ in said}
        for cause, cover in run.causes(rank).items():
            true = sum(b - a for a, b in intersect(idle, cover.intervals))
            low, high = ranges.get(cause, (0, 0))
            if low != high or abs(low - true) > 0.02 * true + MS:
                yield f'rank {rank}, {cause}: {true / SEC:.3f} s, said {low / SEC:.3f} .. {high / SEC:.3f}'
        all_ns, = db.execute("SELECT wall_ns - busy_min_ns FROM gpu_phase AS g JOIN device AS d ON d.id = g.device_id"
                             " WHERE d.number = ? AND label = '(run)' AND start_ns IS NULL AND run_number IS NULL", (rank,)).fetchone()
        if all_ns != sum(low for low, _ in ranges.values()):
            yield f'rank {rank}: the parts are {sum(low for low, _ in ranges.values())} ns, all is {all_ns}'
        if {whose for *_, whose in said} != {'own' if run.parties == 2 else None}:
            yield f'rank {rank}: whose work it is'


def main(tracedb, runs=6):
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(runs)):
            by = tracedb if seed < 2 else os.environ.get('TRACEDB_PLAIN', tracedb)
            for traced in (True, False):
                folder, run = Path(scratch) / f'{seed}{"-traced" if traced else ""}', Run(seed)
                run.write(folder, traced)
                db = build(by, folder)
                for what in [*check(db, run, traced), *windows(by, db, f'{folder}.db', [run.busy], [run.causes(traced)], traced)]:
                    print(f'run {seed}, {"traced" if traced else "sampled"}: {what}')
                    failed += 1
            for parties in (1, 2):
                folder, run = Path(scratch) / f'{seed}-{parties}', Ranks(seed, parties)
                run.write(folder)
                db = build(by, folder)
                for what in [*check_ranks(db, run), *windows(by, db, f'{folder}.db', run.busy, [run.causes(0), run.causes(1)], True)]:
                    print(f'run {seed}, {parties} parties: {what}')
                    failed += 1
    print(f'{runs} runs, {failed} wrong')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
