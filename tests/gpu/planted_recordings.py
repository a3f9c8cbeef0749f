#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of two ranks with planted idle time of every cause that view gpu_idle_cause knows, alone, and two or three of them at once: what
gpu_idle says of each is within 2 % of what was planted where kernels are traced, and in the stated range where the GPU is sampled (pmon);
stalls and overview name who was at it for longest, and on which file.

usage: planted_recordings.py TRACEDB [RUNS]     the program in $TRACEDB_PLAIN, if that is set, is asked of all runs but the first"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'rules'))

from spool import START_NS, Recording  # noqa: E402 (found by the line above)
from truth import SEC, Cover, build, intersect, put_down, subtract, union  # noqa: E402

MS = SEC // 1000
# how the call of a cause shows: who is in it (the thread that trains, a loader), its name, the file
CALLS = {'file read': ('loader', 'read', '/data/x.npy'), 'file write': ('trains', 'write', '/out/y.pt'), 'other file I/O': ('loader', 'openat', '/data/z'),
         'loader asleep': ('loader', 'clock_nanosleep', None), 'lock, queue or pipe': ('trains', 'futex', None)}
SPANS = {'waiting for a loader': ('user_annotation', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'), 'CUDA call': ('cuda_runtime', 'cudaMalloc'),
         'other ranks': ('cpu_op', 'c10d::barrier'), 'launching operators': ('cpu_op', 'aten::conv3d')}
COLD = '/data/cold.npy'    # whose reads wait for the disk
PHASES = {'evaluation': 'eval', 'initialisation': 'init'}
SCHED = ('loader computing', 'waiting for a CPU')
OTHERS = 'other ranks at work'
ORDER = ('disk read', 'file read', 'file write', 'other file I/O', 'loader computing', 'waiting for a CPU', 'loader asleep', 'waiting for a loader', 'lock, queue or pipe',
         'CUDA call', 'other ranks', 'launching operators', OTHERS, 'evaluation', 'initialisation', 'events lost', 'no calls recorded', 'program computing', 'unexplained')
# of the other rank: what this one may wait for
KEEPS = (*ORDER[:8], 'CUDA call', 'launching operators')
# of all ranks, and what is what else is not
EVERYBODYS = ('evaluation', 'initialisation', 'events lost')
REST = (OTHERS, 'no calls recorded', 'unexplained')


class Rank:
    def __init__(self, number):
        self.number, self.pid, self.loader = number, 5000 + 1000 * number, 5001 + 1000 * number
        self.planted, self.busy, self.calls = {cause: [] for cause in ORDER}, [], []


class Run:
    """sched: it is recorded who runs; else nothing is lost, and what the thread that trains is in no call of is computing. traced: so are kernels."""

    def __init__(self, seed, sched, traced):
        self.r, self.sched, self.traced = random.Random(seed), sched, traced
        self.ranks = [Rank(0), Rank(1)]
        self.out, self.everybodys = Recording(), {cause: [] for cause in EVERYBODYS}
        for rank in self.ranks:
            self.out.process(rank.pid, 1, 'python', 'python train.py')
            self.out.process(rank.loader, rank.pid, 'pt_data_worker', 'python train.py')
        self.play()
        self.write_recording()

    def known(self):
        """The causes that can be told by what is recorded."""
        return [c for c in ORDER if (self.sched or c not in (*SCHED, 'events lost')) and (self.traced or c not in SPANS)]

    def play(self):
        r, known = self.r, [c for c in self.known() if c != 'no calls recorded']
        at = self.begin = 1500 * MS
        stretches = [[cause] for cause in known * 2 + ['disk read'] * 16] + [r.sample(known[:-1], n) for n in (2, 2, 2, 3, 3, 3)]
        r.shuffle(stretches)
        first, second = self.ranks
        for causes in stretches:
            begin = at
            at += r.randrange(10, 200) * MS
            first.busy.append((begin, at))
            second.busy.append((begin, at + 5 * MS))
            length = r.randrange(40, 600) * MS
            for cause in causes:
                a, b = (at, at + length) if len(causes) == 1 else sorted(at + r.randrange(length // MS + 1) * MS for _ in range(2))
                self.plant(cause, a, b)
            at += length
        self.end = at + 100 * MS
        # before the first call and after the last there is work, too
        for rank in self.ranks:
            rank.busy += [(SEC, SEC + 200 * MS), (self.begin - 200 * MS, self.begin), (at, self.end), (self.end + 300 * MS, self.end + 400 * MS)]
            rank.busy.sort()

    def plant(self, cause, a, b):
        first, second = self.ranks
        if b <= a:
            return
        if cause in self.everybodys:
            self.everybodys[cause].append((a, b))
        elif cause == OTHERS:
            second.planted[self.r.choice([c for c in self.known() if c in KEEPS and c not in SPANS])].append((a, b))
        elif cause not in REST:
            first.planted[cause].append((a, b))

    # --- how it shows ---

    def read_disk(self, tid, a, b):
        """The request waits in the disk's queue for a part of the time, most of it or none; the next one comes when it is issued."""
        while a < b:
            done = b if b - a < 40 * MS else a + self.r.randrange(20, 40) * MS
            queued = round((done - a) * self.r.choice([0, 0.2, 0.6, 0.9]))
            self.out.block(tid, a, a + queued, done, 1 << 20, a // MS * 4096)
            a = done

    def show(self, rank, cause, a, b):
        if cause == 'disk read':
            self.out.call(rank.loader, a, b - a, 'read', COLD, 100)
            self.read_disk(rank.loader, a, b)
        elif cause == 'loader computing':
            self.out.sched(rank.loader, None, a, b)
        elif cause == 'waiting for a CPU':
            self.out.sched(self.r.choice([rank.pid, rank.loader]), a, b, b)
        elif cause == 'program computing' and self.sched:
            self.out.sched(rank.pid, None, a, b)
        elif cause in CALLS:
            who, name, path = CALLS[cause]
            if who == 'trains':
                rank.calls.append((a, b))
            self.out.call(rank.loader if who == 'loader' else rank.pid, a, b - a, name, path, 100 if path else 0)

    def write_recording(self):
        for name in ('futex', 'epoll_wait', 'recvfrom'):
            self.out.op(name)
        for rank in self.ranks:
            for cause, of in rank.planted.items():
                for a, b in of:
                    self.show(rank, cause, a, b)
            self.occupy(rank)
        for a, b in self.everybodys['events lost']:
            self.out.loss(a, b, 7)

    def occupy(self, rank):
        """The rest of the time the thread that trains is in a call that says nothing, but while it computes; from the first call to the last."""
        rest = subtract([[self.begin, self.end]], union(rank.calls + (rank.planted['program computing'] if not self.sched else [])))
        for a, b in rest:
            self.out.call(rank.pid, a, b - a, 'munmap')

    def kineto(self, rank):
        def event(cat, name, pid, a, b, **args):
            return {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': pid or 7, 'ts': a / 1000, 'dur': (b - a) / 1000, 'args': args}

        events = [event(cat, name, rank.pid, a, b) for cause, (cat, name) in SPANS.items() for a, b in rank.planted[cause]]
        for n, (a, b) in enumerate(rank.busy):
            events.append(event('kernel', 'gemm', 0, a, b, device=rank.number, stream=7, correlation=n))
            if self.begin < a < self.end:
                events.append(event('cuda_runtime', 'cudaLaunchKernel', rank.pid, a, a, correlation=n))
        return json.dumps({'schemaVersion': 1, 'baseTimeNanoseconds': START_NS, 'distributedInfo': {'rank': rank.number, 'world_size': 2}, 'traceEvents': events})

    def pmon(self):
        yield '#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command'
        yield '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name'
        busy = [Cover(rank.busy) for rank in self.ranks]
        for at in range(150 * MS, self.end + 2 * SEC, 1003 * MS):
            for rank in self.ranks:
                share = round(100 * busy[rank.number].within([(at - 1003 * MS, at)]) / (1003 * MS))
                when = datetime.fromtimestamp((START_NS + at) // SEC, timezone.utc)
                yield f' {when:%Y%m%d   %H:%M:%S}{rank.number:>7}{rank.pid:>11}     C{share:>6}     0     -     -  1200   python'

    def log(self):
        for cause, name in PHASES.items():
            for n, (a, b) in enumerate(self.everybodys[cause]):
                for kind, key, ns in (('INTERVAL_START', 'start', a), ('INTERVAL_END', 'stop', b)):
                    yield ':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': (START_NS + ns) // MS, 'event_type': kind, 'key': f'{name}_{key}', 'value': None,
                                                    'metadata': {'file': 'x.py', 'lineno': 1, 'epoch_num': n}})

    def write(self, folder):
        folder.mkdir()
        self.out.write(folder / 'run.spool', self.end + 3 * SEC)
        (folder / 'train.log').write_text('\n'.join(self.log()) + '\n')
        for rank in self.ranks if self.traced else ():
            (folder / f'kineto.{rank.number}.json').write_text(self.kineto(rank))
        if not self.traced:
            (folder / 'gpu.out').write_text('\n'.join(self.pmon()) + '\n')

    # --- what is true ---

    def causes(self, rank):
        other = self.ranks[1 - rank.number]
        of = {**rank.planted, **self.everybodys, OTHERS: [i for c in KEEPS for i in other.planted[c]]}
        out = put_down([(c, of[c]) for c in ORDER[:-3]], (self.begin, self.end))
        computing = Cover(intersect(out['unexplained'].intervals, union(rank.planted['program computing'])))
        return {**out, 'program computing': computing, 'unexplained': Cover(subtract(out['unexplained'].intervals, computing.intervals))}


def check(tracedb, db, path, run):
    said = {}
    done = subprocess.run([tracedb, 'report', 'gpu_idle', '-f', 'csv', path], capture_output=True, text=True, check=True)
    for row in csv.DictReader(done.stdout.splitlines()):
        if row['phase'] == '(run)':
            said[int(row['gpu']), row['cause']] = int(row['idle_min_ns']), int(row['idle_max_ns'])
    for rank in run.ranks:
        looked = db.execute('SELECT g.start_ns, g.start_ns + s.dur_ns FROM gpu_segment AS g JOIN segment AS s USING (start_ns) JOIN device AS d ON d.id = g.device_id'
                            ' WHERE d.number = ?', (rank.number,)).fetchall()
        idle = subtract(union([(a - START_NS, b - START_NS) for a, b in looked]), union(rank.busy))
        for cause, cover in run.causes(rank).items():
            true = sum(b - a for a, b in intersect(idle, cover.intervals))
            low, high = said.get((rank.number, cause), (0, 0))
            slack = MS + (0.02 * true if run.traced else 0)
            if not low - slack <= true <= high + slack or (run.traced and low != high):
                yield f'GPU {rank.number}, {cause}: {true / SEC:.3f} s, said {low / SEC:.3f} .. {high / SEC:.3f}'
            if rank.number == 0 and cause in run.known() and true < 20 * MS:
                yield f'nothing of {cause} was planted'
        if run.traced and said[rank.number, '(all)'][0] != sum(low for (gpu, cause), (low, _) in said.items() if gpu == rank.number and cause != '(all)'):
            yield f'GPU {rank.number}: the parts are not all of it'


def check_longest(tracedb, path, run):
    """Of each cause the longest stretch of GPU 0, with who was at it on which file; overview names the same of the causes that it shows."""
    rank, idle = run.ranks[0], union([(b, c) for (_, b), (c, _) in zip(run.ranks[0].busy, run.ranks[0].busy[1:])])
    pids = {cause: {rank.loader if who == 'loader' else rank.pid} for cause, (who, _, _) in CALLS.items()} | {cause: {rank.pid} for cause in SPANS}
    pids |= {'disk read': {rank.loader}, 'loader computing': {rank.loader}, 'waiting for a CPU': {rank.pid, rank.loader}, 'program computing': {rank.pid}}
    files = {'disk read': COLD} | {cause: path for cause, (_, _, path) in CALLS.items() if path}
    causes = run.causes(rank)
    for cause in pids:
        length = max((b - a for a, b in intersect(idle, causes[cause].intervals)), default=0)
        done = subprocess.run([tracedb, 'report', 'stalls', '--param', f'cause={cause}', '--param', 'gpu=0', '--limit', '1', '-f', 'csv', path], capture_output=True, text=True, check=True)
        row = next(csv.DictReader(done.stdout.splitlines()), None)
        if row is None or length == 0:
            if row or length:
                yield f'{cause}: the longest is {length / SEC:.3f} s, said {row}'
        elif abs(int(row['dur_ns']) - length) > 0.02 * length + MS or int(row['pid']) not in pids[cause] or row['file'] != files.get(cause, ''):
            yield f'{cause}: the longest is {length / SEC:.3f} s of {pids[cause]} on {files.get(cause)}, said {int(row["dur_ns"]) / SEC:.3f} of {row["pid"]} on {row["file"]}'
    page = subprocess.run([tracedb, 'report', 'overview', '-f', 'csv', path], capture_output=True, text=True, check=True)
    details = {row['item']: row['detail'] for row in csv.DictReader(page.stdout.splitlines()) if row['section'] == 'GPU idle'}
    if not details.get('disk read', '').endswith(f': {rank.loader} pt_data_worker, {COLD}'):
        yield f'overview: {details}'


def main(tracedb, runs=3):
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(runs)):
            for sched in (True, False):
                for traced in (True, False):
                    what = f'run {seed}, {"with" if sched else "without"} scheduling, {"traced" if traced else "sampled"}'
                    by = tracedb if seed == 0 and sched and traced else os.environ.get('TRACEDB_PLAIN', tracedb)
                    folder, run = Path(scratch) / f'{seed}-{sched}-{traced}', Run(seed, sched, traced)
                    run.write(folder)
                    db = build(by, folder)
                    if seed == 0 and [cause for cause, in db.execute('SELECT cause FROM gpu_idle_cause ORDER BY precedence')] != list(ORDER):
                        print('view gpu_idle_cause has other causes')
                        failed += 1
                    for wrong in [*check(by, db, f'{folder}.db', run), *(check_longest(by, f'{folder}.db', run) if traced else ())]:
                        print(f'{what}: {wrong}')
                        failed += 1
    print(f'{4 * int(runs)} runs, {failed} wrong')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
