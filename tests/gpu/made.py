#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Made-up runs, of which it is known when the GPUs were busy, printed as every sampler would: what is said of them must hold.

usage: made.py TRACEDB [RUNS]"""
import json
import os
import random
import sys
import tempfile
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from truth import SEC, Cover, build, put_down, rows

MS = SEC // 1000
START_NS = 1_700_000_000 * SEC
TOOLS = ('pmon', 'pmon', 'dmon', 'query')


class Run:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.tool = TOOLS[seed % len(TOOLS)]
        self.zone = r.randrange(-12, 15)
        self.seconds = r.randrange(60, 180)
        self.cut = r.random() < 0.5                     # percents: cut or rounded
        self.processes = 2 if self.tool == 'pmon' and r.random() < 0.2 else 1
        self.phases = self.make_phases()
        self.reads = self.make_io(r)
        self.writes = self.make_io(random.Random(-seed))
        self.io = Cover([*self.reads.intervals, *self.writes.intervals])
        self.shares = [[self.make_busy() for _ in range(self.processes)] for _ in range(r.choice([1, 2]))]
        self.busy = {gpu: Cover([i for p in parts for i in p.intervals]) for gpu, parts in enumerate(self.shares)}

    def make_phases(self):
        at, out = self.r.randrange(3 * SEC, 6 * SEC), []
        for number in range(1, 30):
            length = int(self.r.choice([2, 5, 12, 30]) * self.r.uniform(0.8, 1.2) * SEC)
            if at + length > (self.seconds - 3) * SEC:
                break
            # training logs have milliseconds
            out.append((number, START_NS + at // MS * MS, START_NS + (at + length) // MS * MS))
            at += length + self.r.randrange(0, 2 * SEC)
        return out

    def make_io(self, r):
        at, out, gap = 0, [], r.choice([0.01, 0.3, 2])
        while at < self.seconds * SEC:
            at += int(r.expovariate(1 / gap) * SEC) + 1000
            end = at + int(r.expovariate(1 / gap) * SEC) + 1000
            out.append((START_NS + at // 1000 * 1000, START_NS + end // 1000 * 1000))
            at = end
        return Cover([i for i in out if i[1] < START_NS + self.seconds * SEC])

    def make_busy(self):
        r, out = self.r, []
        for _, start, end in self.phases:
            kind, at = r.choice(['bursts', 'bursts', 'full', 'waits', 'idle']), start
            on, off = r.choice([0.01, 0.2, 2]), r.choice([0.01, 0.2, 2])
            if kind == 'full':
                on, off = 2, 0.01
            if kind == 'waits':
                out += [(max(a[1], start), min(b[0], end)) for a, b in zip(self.reads.intervals, self.reads.intervals[1:])]
            while kind in ('bursts', 'full') and at < end:
                length = int(r.expovariate(1 / on) * SEC) + 1000
                out.append((at, min(at + length, end)))
                at += length + int(r.expovariate(1 / off) * SEC) + 1000
        return Cover([i for i in out if i[1] > i[0]])

    def causes(self):
        reads, writes = self.reads.intervals, self.writes.intervals
        return put_down([('file read', reads), ('file write', writes), ('other file I/O', [])],
                        (min(reads[0][0], writes[0][0]), max(reads[-1][1], writes[-1][1])))

    # --- what the tools print ---

    def local(self, ns):
        return datetime(1970, 1, 1) + timedelta(seconds=ns // SEC + self.zone * 3600)

    def percent(self, cover, start, end):
        share = 100 * cover.within([(start, end)]) / (end - start)
        return int(share) if self.cut else int(share + 0.5)

    def rounds(self):
        """When the tool printed, and when it did before. It is slow by up to 9 %, or held up now and then."""
        slow = self.slow = self.r.choice([0, 0, 5, 50, 90]) if self.tool == "pmon" else 4
        at, end = START_NS + self.r.randrange(SEC), START_NS + self.seconds * SEC
        while at < end:
            before, at = at, at + SEC + slow * MS + self.r.randrange(0, 3 * MS)
            if self.r.random() < 0.005:
                at += self.r.randrange(0, 2 * SEC)
            yield before, at

    def lines(self):
        if self.tool == 'pmon':
            yield '#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command'
            yield '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name'
        if self.tool == 'dmon':
            yield '#Date       Time        gpu    sm   mem   enc   dec'
            yield '#YYYYMMDD   HH:MM:SS    Idx     %     %     %     %'
        if self.tool == 'query':
            yield 'timestamp, index, utilization.gpu [%]'
        for before, at in self.rounds():
            for gpu, parts in enumerate(self.shares):
                yield from self.line(gpu, parts, before, at)

    def line(self, gpu, parts, before, at):
        stamp = f' {self.local(at):%Y%m%d   %H:%M:%S}{gpu:>7}'
        looked = at - self.r.randrange(180 * MS, 220 * MS)
        if self.tool == 'dmon':
            yield f'{stamp}{self.percent(self.busy[gpu], looked - 100 * MS, looked):>6}{0:>6}{0:>6}{0:>6}'
        elif self.tool == 'query':
            ms = at // MS % 1000
            yield f'{self.local(at):%Y/%m/%d %H:%M:%S}.{ms:03}, {gpu}, {self.percent(self.busy[gpu], looked - 100 * MS, looked)} %'
        else:
            for i, part in enumerate(parts):
                share = self.percent(part, before, at)
                text = '-' if share == 0 and self.r.random() < 0.2 else share
                yield f'{stamp}{4711 + 2 * gpu + i:>11}     C{text:>6}{0:>6}     -     -  1200   python'

    def write(self, folder):
        folder.mkdir()
        event = {'namespace': '', 'value': None}
        log = []
        for number, start, end in self.phases:
            for key, kind, ns in (('epoch_start', 'INTERVAL_START', start), ('epoch_stop', 'INTERVAL_END', end)):
                log.append(':::MLLOG ' + json.dumps({**event, 'time_ms': ns // MS, 'event_type': kind, 'key': key,
                                                     'metadata': {'file': 'x.py', 'lineno': 1, 'epoch_num': number}}))
        (folder / 'train.log').write_text('\n'.join(log) + '\n')
        (folder / 'gpu.out').write_text('\n'.join(self.lines()) + '\n')
        calls = [(a, f'{pid} {a // SEC}.{a % SEC // 1000:06} {call}, ""..., 10) = 10 <{(b - a) // SEC}.{(b - a) % SEC // 1000:06}>')
                 for pid, call, cover in ((99, 'read(3</data/x>', self.reads), (98, 'write(4</data/y>', self.writes)) for a, b in cover.intervals]
        (folder / 'calls.strace').write_text(''.join(f'{line}\n' for _, line in sorted(calls)))


def main(tracedb, runs=60):
    held, widths, wrong = defaultdict(list), defaultdict(list), []
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(runs)):
            run, folder = Run(seed), Path(scratch) / str(seed)
            run.write(folder)
            # all but some by the program without sanitizers, where there is one
            by = tracedb if seed < 4 else os.environ.get('TRACEDB_PLAIN', tracedb)
            for label, gpu, basis, wall, said in rows(build(by, folder), run.busy, run.io, causes=run.causes()):
                for name, (true, low, high, ok) in said.items():
                    held[basis, name].append(ok)
                    if name == 'busy' and label.startswith('epoch '):
                        widths[basis, wall > 10 * SEC].append((high - low) / wall)
                    if not ok and basis == 'bounds':
                        wrong.append(f"run {seed} ({run.tool} {run.slow} {run.processes}): GPU {gpu} {label}: {name} {true / SEC:.3f}, said {low / SEC:.3f} .. {high / SEC:.3f}")
    failed = False
    for (basis, name), ok in sorted(held.items()):
        share = 100 * sum(ok) / len(ok)
        good = share >= 99.5 if basis != 'estimate' else 93 <= share and (share <= 98 or name != 'busy')
        failed |= not good
        print(f'{basis} {name}: {len(ok)} rows, {share:.1f} % hold{"" if good else ": WRONG"}')
    for (basis, is_long), w in sorted(widths.items()):
        print(f'{basis}, epochs {"over" if is_long else "up to"} 10 s: median width {100 * sorted(w)[len(w) // 2]:.1f} %')
    print('\n'.join([w for w in wrong]))
    return 1 if failed or ('bounds', 'busy') not in held or ('estimate', 'busy') not in held else 0


sys.exit(main(*sys.argv[1:]))
