# SPDX-License-Identifier: MIT
"""A made-up training of which each moment is known: ranks with loaders that read ahead, a thread that launches, a GPU that works in order. What of
it is a fault can be left out: the same run without it. The GPUs then idle for less, and by how much is what the fault cost."""
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timezone

from spool import START_NS, Recording

US, MS, SEC = 10**3, 10**6, 10**9
READ_BYTES = 4 << 20
SAMPLE_NS = 1003 * MS
ON_GPU = ('kernel', 'gpu_memcpy', 'gpu_memset')


@dataclass
class Piece:
    """What a thread is at. Of dur_ns fault_ns are the fault: without it the piece is shorter, or not there at all."""
    kind: str               # 'call', 'compute', 'runnable', 'cuda', 'operator', 'python'
    dur_ns: int
    fault_ns: int = 0
    name: str = ''
    path: str = None
    ret: int = 0
    offset: int = None
    disk: tuple = ()        # of a call, or of a page fault (kind 'compute'): how long its request waits and is served, and its bytes
    work: tuple = ()        # of a CUDA call: category and name of the work, how long it takes on the GPU, bytes
    waits: bool = False     # until the GPU has done it, and all before it


def fault_is_all(piece):
    """Without it nothing has to wait for the disk."""
    return piece.fault_ns > 0 and not piece.disk[0]


def plant(kind, dur_ns, **more):
    return Piece(kind, dur_ns, dur_ns, **more)


@dataclass
class Rank:
    number: int
    now: int = 0                                        # of the thread that trains
    gpu: int = 0                                        # the GPU has done all it was given
    loaders: list = field(default_factory=list)         # when each is free
    taken: list = field(default_factory=list)           # when each batch was
    busy: list = field(default_factory=list)
    runs: dict = field(default_factory=lambda: defaultdict(list))   # by loader: on a CPU

    @property
    def pid(self):
        return 5000 + 1000 * self.number


class Training:
    """fault: what is added, by place ('open', 'read', 'decode' of a loader; 'copy', 'launch', 'log' of the thread that trains): a function of
    (random, rank, step) that returns pieces."""

    def __init__(self, seed, fault, with_fault=True, **options):
        self.r, self.chance, self.fault, self.with_fault = random.Random(seed), random.Random(-seed - 1), fault, with_fault
        r = self.r
        self.steps, self.depth, self.nloaders, self.kernel_ns = 60, r.choice([1, 1, 2, 4]), r.choice([1, 1, 2]), r.randrange(3, 12) * MS
        self.decode_ns, self.waits, self.barrier, nranks = r.randrange(1, 9) * MS, r.random() < 0.5, r.choice([None, None, 'c10d::barrier']), r.choice([1, 2])
        self.annotates = r.random() < 0.5
        self.epochs, self.idle_pct = 3, None    # of the CPUs, with the fault and without
        for name, value in options.items():
            if name == 'nranks':
                nranks = value
            else:
                setattr(self, name, value)
        self.ranks = [Rank(n, loaders=[0] * self.nloaders) for n in range(nranks)]
        self.out, self.events, self.phases = Recording(), defaultdict(list), []
        self.correlation = self.sector = self.end = 0
        self.counted = defaultdict(int)         # planted pieces, by name; and of these the time of all, and of the longest
        self.preempted, self.page_faults = defaultdict(int), defaultdict(int)  # by loader
        for rank in self.ranks:
            self.out.process(rank.pid, 1, 'python', 'python train.py')
            for n in range(self.nloaders):
                self.out.process(rank.pid + 1 + n, rank.pid, 'pt_data_worker', 'python train.py')
        self.play()

    # --- what happens ---

    def added(self, place, rank, step):
        return self.fault.get(place, lambda *_: [])(self.chance, rank, step)

    def load(self, rank, step):
        r = self.r
        return [*self.added('open', rank, step), Piece('call', r.randrange(20, 60) * US, name='openat', path=f'/data/case_{step % 40:03}.npy', ret=3),
                Piece('call', r.randrange(500, 1500) * US, name='read', path=f'/data/case_{step % 40:03}.npy', ret=READ_BYTES),
                *self.added('read', rank, step), Piece('compute', round(self.decode_ns * r.uniform(0.8, 1.2))), *self.added('decode', rank, step)]

    def train(self, rank, step):
        r = self.r
        yield Piece('cuda', 30 * US, name='cudaMemcpyAsync', work=('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', 400 * US, READ_BYTES))
        yield from self.added('copy', rank, step)
        for part in range(4):
            yield Piece('operator', r.randrange(100, 300) * US, name='aten::conv2d')
            yield Piece('cuda', 10 * US, name='cudaLaunchKernel', work=('kernel', 'gemm', round(self.kernel_ns * r.uniform(0.8, 1.2)) // 4, 0))
            yield from self.added('launch', rank, step) if part < 3 else ()
        if self.waits:
            yield Piece('cuda', 5 * US, name='cudaStreamSynchronize', waits=True)
        yield Piece('python', r.randrange(100, 400) * US)
        yield from self.added('log', rank, step)

    def play(self):
        for step in range(self.steps):
            for rank in self.ranks:
                self.step(rank, step)
            self.meet()
            if (step + 1) % (self.steps // self.epochs) == 0:
                self.phases.append(max(rank.now for rank in self.ranks))
        self.end = max(max(rank.now, rank.gpu) for rank in self.ranks) + MS

    def step(self, rank, step):
        n = step % self.nloaders
        at = max(rank.loaders[n], rank.taken[step - self.depth] if step >= self.depth else 0)
        for piece in self.load(rank, step):
            at = self.go(piece, rank, rank.pid + 1 + n, at)
        rank.loaders[n] = at
        if at > rank.now:
            self.wait(rank, rank.now, at)
            rank.now = at
        rank.taken.append(rank.now)
        for piece in self.train(rank, step):
            rank.now = self.go(piece, rank, rank.pid, rank.now)

    def wait(self, rank, start, end):
        if self.annotates:
            self.event(rank, 'user_annotation', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', start, end)
        self.out.call(rank.pid, start, end - start, 'read', 'pipe:[77]', 8, 8)

    def meet(self):
        at = max(rank.now for rank in self.ranks)
        for rank in self.ranks:
            if self.barrier and rank.now < at:
                self.event(rank, 'cpu_op', self.barrier, rank.now, at)
            rank.now = at

    def go(self, piece, rank, tid, start):
        """When the thread is done with it."""
        fault_ns = piece.fault_ns
        if fault_ns:
            self.counted[piece.name or piece.kind] += 1
            self.counted[piece.name or piece.kind, 'ns'] += piece.dur_ns
            self.counted[piece.name or piece.kind, 'most'] = max(self.counted[piece.name or piece.kind, 'most'], piece.dur_ns)
        dur = piece.dur_ns - (0 if self.with_fault else fault_ns)
        if dur == 0 and (not piece.work or piece.work[0] != 'kernel'):
            return start
        return getattr(self, piece.kind)(piece, rank, tid, start, dur)

    # --- how it shows ---

    def event(self, rank, category, name, start, end, on_gpu=False, **args):
        tid = 7 if on_gpu else rank.pid
        self.events[rank.number].append({'ph': 'X', 'cat': category, 'name': name, 'pid': rank.number if on_gpu else rank.pid, 'tid': tid, 'ts': start / 1000,
                                       'dur': (end - start) / 1000, 'args': args})

    def request(self, tid, start, dur, disk):
        """The disk has it in the last part of the time."""
        queued, served, size = disk
        queued = min(queued, dur - served)     # without the fault nothing waits
        self.sector += size // 512
        self.out.block(tid, start, start + queued, start + dur, size, self.sector)

    def call(self, piece, rank, tid, start, dur):
        if piece.disk and (self.with_fault or not fault_is_all(piece)):
            self.request(tid, start, dur, piece.disk)
        self.out.call(tid, start, dur, piece.name, piece.path, piece.ret, max(piece.ret, 0) or None, piece.offset)
        return start + dur

    def compute(self, piece, rank, tid, start, dur):
        if piece.disk:
            self.page_faults[tid] += 1
            self.request(tid, start, dur, piece.disk)
        else:
            self.out.sched(tid, None, start, start + dur)
            rank.runs[tid].append((start, start + dur))
        return start + dur

    def runnable(self, piece, rank, tid, start, dur):
        self.out.sched(tid, start, start + dur, start + dur + US)
        self.preempted[tid] += 1
        return start + dur

    def operator(self, piece, rank, tid, start, dur):
        self.event(rank, 'cpu_op', piece.name, start, start + dur)
        return start + dur

    def python(self, piece, rank, tid, start, dur):
        return start + dur

    def cuda_work(self, rank, given, work):
        category, name, length, size = work
        at = max(given, rank.gpu)
        rank.gpu = at + length
        rank.busy.append((at, rank.gpu))
        self.correlation += 1
        args = {'device': rank.number, 'stream': 7, 'correlation': self.correlation} | ({'bytes': size} if size else {})
        self.event(rank, category, name, at, rank.gpu, True, **args)

    def cuda(self, piece, rank, tid, start, dur):
        end = start + dur
        if piece.work:
            self.cuda_work(rank, end, piece.work)
        if piece.waits:
            end = max(end, rank.gpu)
        self.event(rank, 'cuda_runtime', piece.name, start, end, **({'correlation': self.correlation} if piece.work else {}))
        return end

    # --- what is left of it ---

    def idle_ns(self):
        """How long the GPUs had nothing to do, each from its first work to its last."""
        return sum(rank.busy[-1][1] - rank.busy[0][0] - sum(b - a for a, b in rank.busy) for rank in self.ranks)

    def log(self):
        begin = 0
        for number, end in enumerate(self.phases, 1):
            for key, ns in (('epoch_start', begin), ('epoch_stop', end)):
                yield ':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': (START_NS + ns) // MS, 'event_type': 'INTERVAL_START' if key == 'epoch_start' else
                                                'INTERVAL_END', 'key': key, 'value': None, 'metadata': {'file': 'x.py', 'lineno': 1, 'epoch_num': number}}) + '\n'
            begin = end

    def pmon(self):
        """Samples of the GPUs, once a second and a bit, from before the run until after it: of each time since the one before."""
        yield '#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command'
        yield '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name'
        for at in range(150 * MS - 3 * SEC, self.end + 4 * SEC, SAMPLE_NS):
            for rank in self.ranks:
                share = round(100 * sum(max(0, min(b, at) - max(a, at - SAMPLE_NS)) for a, b in rank.busy) / SAMPLE_NS)
                when = datetime.fromtimestamp((START_NS + at) // SEC, timezone.utc)
                yield f' {when:%Y%m%d   %H:%M:%S}{rank.number:>7}{rank.pid:>11}     C{share:>6}     0     -     -  1200   python'

    def write_sampled(self, folder):
        """The same, but of the GPUs it is only known how busy they were."""
        all_of = self.events
        self.events = {number: [event for event in events if event['cat'] not in ON_GPU] for number, events in all_of.items()}
        self.write(folder)
        self.events = all_of
        (folder / 'gpu.out').write_text('\n'.join(self.pmon()) + '\n')

    def write(self, folder):
        folder.mkdir()
        self.out.write(folder / 'run.spool', self.end)
        (folder / 'train.log').write_text(''.join(self.log()))
        for number, events in self.events.items():
            (folder / f'kineto.{number}.json').write_text(json.dumps({'schemaVersion': 1, 'baseTimeNanoseconds': START_NS, 'traceEvents': events,
                                                                      'distributedInfo': {'rank': number, 'world_size': len(self.ranks)}}))
