#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the example run: the logs that a training of 60 s leaves behind, with what is planted in them.

usage: generate.py [--check]    --check: compare with what is there instead of writing

Two GPU workers and a data loader for each. A small simulation says when each process does what; the
printers turn that into the text of bpftrace, nvidia-smi, mpstat, ps and MLPerf logging, with the
damage such text has. truth.json is what a perfect reader would get out of it. Only random() and
randrange() are used, so that every Python 3 writes the same bytes."""
import json
import sys
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
MS, SEC = 10**6, 10**9

# 23:59:35 of the day before in the machine's zone: the run crosses midnight there, not in UTC.
START_NS = 1700024375 * SEC
UTC_OFFSET_S = -5 * 3600
BOOT_EPOCH_NS = START_NS - 1049876543210987
TICK_NS = 4 * MS        # time() reads a clock that moves with the kernel's tick, HZ=250
TICK_PHASE_NS = 1300000

LAUNCHER, WORKERS, LOADERS = 1041190, (1041207, 1041208), (1041355, 1041356)
ANONYMOUS_WRITER = LOADERS[1]
PYTHON, MAIN = '/opt/conda/bin/python', '-u train.py --data_dir /raid/imseg --epochs 2 --local_rank'
DATA = '/raid/imseg'
CASES = 20              # per loader and epoch
STEP_NS = 450 * MS      # what a GPU needs for one sample
KERNELS_PERCENT = 94    # of a step in which a kernel runs, which is what pmon calls sm
STALL_CASE, STALL_NS = 13, 2500 * MS    # longer than 2^31 ns: bpftrace's %d prints it negative
LOST = {'vfs_rw.out': (212, 9), 'open.out': (57,)}  # events that the tracer says it lost

LIBRARIES = ('libc-2.31.so', 'libm-2.31.so', 'libpthread-2.31.so', 'libdl-2.31.so', 'libz.so.1.2.11',
             'libstdc++.so.6.0.29', 'libgomp.so.1.0.0', 'libcudart.so.11.4', 'libnccl.so.2.10.3')
MODULES = ('torch/nn/functional.py', 'torch/utils/data/dataloader.py',
           'torch/utils/data/_utils/pin_memory.py', 'torch/distributed/distributed_c10d.py',
           'torch/nn/parallel/distributed.py', 'torch/cuda/amp/grad_scaler.py',
           'numpy/core/_multiarray_umath.cpython-38-x86_64-linux-gnu.so', 'numpy/lib/npyio.py',
           'scipy/ndimage/_nd_image.cpython-38-x86_64-linux-gnu.so', 'mlperf_logging/mllog/mllog.py')


@dataclass
class Call:
    """One line of vfs_rw.out or open.out, times in ns since START_NS."""
    start: int
    dur: int
    pid: int
    func: str
    file: str
    asked: int = 0
    ret: int = 0
    comm: str = 'python'


@dataclass
class Block:
    start: int
    dur: int
    pid: int
    write: int
    sector: int
    size: int
    comm: str = 'python'
    cpu: int = 0


class Run:
    """What happens. Every method appends to the lists and returns the time at which it is over."""

    def __init__(self):
        self.random = Random(20231115)
        self.rw, self.opens, self.blocks, self.log = [], [], [], []
        self.busy = ([], [])        # per GPU: (start, end)
        self.phases = {}            # label: (start, end)
        self.sector = 1_830_404_096
        self.stall = None

    def between(self, low, high):
        return low + self.random.randrange(high - low)

    def open(self, t, pid, path, found=True):
        """vfs_open ends, and prints, before the openat that it is part of."""
        inner, outer = self.between(1500, 6000), self.between(1500, 4000)
        if found:
            self.opens.append(Call(t + outer // 2, inner, pid, 'vfs_open', path.rsplit('/', 1)[1]))
        else:
            inner = 0
        self.opens.append(Call(t, inner + outer, pid, 'openat', path))
        return t + inner + outer

    def rw_call(self, t, pid, func, name, size, dur, ret=None, comm='python'):
        self.rw.append(Call(t, dur, pid, func, name, size, size if ret is None else ret, comm))
        return t + dur

    def block_io(self, t, pid, size, write=0, comm='python'):
        """Requests of at most 1 MiB, one after the other."""
        while size > 0:
            part = min(size, 1 << 20)
            dur = self.between(80 * MS, 170 * MS) * part // (1 << 20) + 60000
            self.blocks.append(Block(t, dur, pid, write, self.sector, part, comm, self.between(0, 16)))
            self.sector += part // 512
            t += dur + self.between(20000, 60000)
            size -= part
        return t

    def load_library(self, t, pid, path):
        t = self.open(t, pid, path) + self.between(2000, 9000)
        if self.random.random() < 0.5:
            t = self.block_io(t, pid, 4096 * self.between(1, 33))
        return self.rw_call(t, pid, 'R', path.rsplit('/', 1)[1], 832, self.between(2500, 9000))

    def load_file(self, t, pid, path, size, cold, hang=0):
        """np.load(): open, the header, then everything else in one read."""
        name = path.rsplit('/', 1)[1]
        t = self.open(t, pid, path) + self.between(20000, 60000)
        t = self.rw_call(t, pid, 'R', name, 4096, self.between(2000, 5000)) + self.between(50000, 90000)
        if cold:
            dur = self.block_io(t + 9000, pid, size) - t + self.between(3000, 9000)
        else:
            dur = hang or size // 2 + self.between(10000, 90000)  # page cache, 2 GB/s
        if hang:
            self.stall = (path, pid, t, dur)
        return self.rw_call(t, pid, 'R', name, size - 4096, dur)

    def hand_over(self, t, pid, worker, number):
        """The sample goes to the worker; one of the loaders does that through files without a name."""
        if pid == ANONYMOUS_WRITER:
            shm = f'torch_{pid}_{self.between(10**8, 10**9)}_{number}'
            t = self.open(t, pid, '/dev/shm/' + shm) + 4000
            t = self.rw_call(t, pid, 'W', shm, 2 << 20, self.between(400000, 900000)) + 9000
            t = self.rw_call(t, pid, 'W', '', 65536, self.between(9000, 30000)) + 9000
            t = self.rw_call(t, pid, 'W', '[eventfd]', 8, self.between(800, 3000)) + 9000
        return self.rw_call(t, worker, 'R', '', 196, self.between(2000, 9000))

    def load_case(self, t, loader, epoch, number):
        pid, worker = LOADERS[loader], WORKERS[loader]
        case = 2 * number + loader
        sizes = Random(case)
        x_size = (6 << 20) + 4096 * sizes.randrange(1500)
        hang = STALL_NS if (epoch, loader, number) == (2, 0, STALL_CASE) else 0
        t = self.load_file(t, pid, f'{DATA}/case_{case:05}_x.npy', x_size, epoch == 1, hang)
        t = self.load_file(t + 30000, pid, f'{DATA}/case_{case:05}_y.npy', x_size // 4 // 4096 * 4096,
                           epoch == 1)
        return self.hand_over(t + self.between(30 * MS, 60 * MS), pid, worker, number)

    def mllog(self, t, event, key, value=None, **metadata):
        """Logged by rank 0, which writes the line at the same time."""
        self.log.append((t, event, key, value, metadata))
        self.rw_call(t + 100000, WORKERS[0], 'W', 'train.log', 190, self.between(4000, 9000))
        return t

    def init(self, t):
        begin = self.mllog(t, 'INTERVAL_START', 'init_start')
        ends = []
        for pid in WORKERS:
            at = begin + self.between(5 * MS, 30 * MS)
            for name in LIBRARIES:
                at = self.open(at, pid, f'/usr/local/cuda/lib64/{name}', found=False) + 3000
                at = self.load_library(at, pid, f'/usr/lib/x86_64-linux-gnu/{name}') + 9 * MS
            for name in MODULES:
                at = self.load_library(at, pid, f'/opt/conda/lib/python3.8/site-packages/{name}') + 60 * MS
            ends.append(at)
        end = self.mllog(max(ends) + 1800 * MS, 'INTERVAL_END', 'init_stop')
        self.phases['init'] = (begin, end)
        return end

    def epoch(self, t, number):
        """The GPUs step together, each needs the sample of its own loader; loaders are one sample ahead."""
        begin = self.mllog(t, 'INTERVAL_START', 'epoch_start', epoch_num=number)
        self.rw_call(begin + 200000, WORKERS[0], 'W', '0', 13, self.between(3000, 6000))
        free, loading = begin, [begin + self.between(0, 5 * MS) for _ in LOADERS]
        for sample in range(CASES):
            ready = [self.load_case(at, loader, number, sample) for loader, at in enumerate(loading)]
            step = max(free, *ready)
            for gpu, intervals in enumerate(self.busy):
                intervals.append((step, step + STEP_NS - 7 * MS * gpu))
                self.rw_call(step + 90000, WORKERS[gpu], 'W', '[eventfd]', 8, self.between(800, 2000))
            free = step + STEP_NS
            loading = [max(at, step) + self.between(0, 2 * MS) for at in ready]
        end = self.mllog(free + 2 * MS, 'INTERVAL_END', 'epoch_stop', epoch_num=number)
        self.phases[f'epoch {number}'] = (begin, end)
        return end

    def evaluate(self, t):
        begin = self.mllog(t, 'INTERVAL_START', 'eval_start', epoch_num=2)
        end = begin + 4600 * MS
        for gpu in self.busy:
            gpu.append((begin + 40 * MS, end - 300 * MS))
        self.mllog(end, 'POINT_IN_TIME', 'eval_accuracy', 0.7214, epoch_num=2)
        end = self.mllog(end + MS, 'INTERVAL_END', 'eval_stop', epoch_num=2)
        self.phases['eval 2'] = (begin, end)
        return end

    def checkpoint(self, t):
        t = self.open(t, WORKERS[0], '/results/checkpoint.pt') + 30000
        for _ in range(12):
            t = self.rw_call(t, WORKERS[0], 'W', 'checkpoint.pt', 1 << 20, self.between(300000, 500000))
        self.block_io(t + 200 * MS, 318, 12 << 20, write=1, comm='kworker/u32:3')
        return t

    def bystanders(self, end):
        """Others on the machine: a name with a space, reads that fail with EAGAIN."""
        for t in range(3 * SEC, end, 7 * SEC):
            self.rw_call(t, 2210, 'R', 'ptmx', 4096, self.between(2000, 5000), 61, 'tmux: server')
        for t in range(5 * SEC, end, 20 * SEC):
            self.rw_call(t, WORKERS[0], 'R', '[eventfd]', 8, self.between(900, 2000), -11)

    def play(self):
        t = self.init(400 * MS)
        begin = self.mllog(t + MS, 'INTERVAL_START', 'run_start')
        t = self.epoch(t + 90 * MS, 1)
        t = self.epoch(t + 3 * MS, 2)
        t = self.checkpoint(self.evaluate(t + 2 * MS) + 5 * MS)
        end = self.mllog(t + 2 * SEC, 'INTERVAL_END', 'run_stop', status='success')
        self.phases['run'] = (begin, end)
        self.bystanders(end)
        return self


# --- what the tools print ---

def local(t):
    return datetime.fromtimestamp((START_NS + t) // SEC, timezone(timedelta(seconds=UTC_OFFSET_S)))


def int32(value):
    """What %d makes of 64 bits."""
    return (value + 2**31) % 2**32 - 2**31


class Bpftrace:
    """Events print when they are over and have been read from a per-CPU buffer: a little late and out of
    order. The wall clock is read then, too."""

    def __init__(self, name, events):
        delays = Random(name)
        self.printed = sorted((event.start + event.dur + delays.randrange(300000 if delays.random() < 0.9
                                                                           else 2500000), i)
                              for i, event in enumerate(events))
        self.events = [events[i] for _, i in self.printed]

    def head(self, n):
        """TIMESTAMP and TIME of the nth line."""
        event, seen = self.events[n], self.printed[n][0]
        ticked = (seen - TICK_PHASE_NS) // TICK_NS * TICK_NS
        ts = START_NS - BOOT_EPOCH_NS + event.start + event.dur
        return f'{ts:<17} {local(ticked):%H:%M:%S}  '


def text_vfs_rw(run, lines, truth):
    lines += ['Attaching 6 probes...', 'Capturing VFS Read and Write calls',
              f"{'TIMESTAMP':<17} {'TIME':<9} {'PID':<6} {'COMM':<14} {'R/W':<4} {'LAT(ns)':<7} "
              f"{'REQUESTED':<10} {'RETURNED':<10} FILE"]
    out = Bpftrace('vfs_rw.out', run.rw)

    def tail(c):
        return (f'{c.pid:<6} {c.comm:<14} {c.func:<4} {int32(c.dur):<7} {c.asked:<10} {c.ret:<10} '
                f'{c.file}')

    spoilt = len(out.events) // 3
    lost = {len(out.events) // 2: LOST['vfs_rw.out'][0], len(out.events) * 3 // 4: LOST['vfs_rw.out'][1]}
    for n, call in enumerate(out.events):
        if n in lost:
            lines.append(f'Lost {lost[n]} events')
        if n == spoilt:  # the next event, of another CPU, prints in the middle of this one
            lines.append(out.head(n) + out.head(n + 1) + tail(out.events[n + 1]))
            lines.append(tail(call))
        elif n != spoilt + 1:
            lines.append(out.head(n) + tail(call))
            truth.call('vfs_read' if call.func == 'R' else 'vfs_write', call)
    truth.source('vfs_rw.out', spoilt_lines=2, lost_events=sum(LOST['vfs_rw.out']))


def text_open(run, lines, truth):
    lines += ['Attaching 6 probes...',
              f"{'TIMESTAMP':<17} {'TIME':<9} {'PID':<8} {'COMM':<14} {'FUNC':<12} {'LAT(ns)':<6} FILENAME"]
    out = Bpftrace('open.out', run.opens)
    for n, call in enumerate(out.events):
        if n == len(out.events) * 2 // 3:
            lines.append(f"Lost {LOST['open.out'][0]} events")
        lines.append(f'{out.head(n)}{call.pid:<8} {call.comm:<14} {call.func:<12} {call.dur:<6} '
                     f'{call.file[:63]}')
        truth.call(call.func, call)
    lines += ['', ''] + [f'@func[{pid}]: openat' for pid in WORKERS + LOADERS] + ['']
    truth.source('open.out', lost_events=sum(LOST['open.out']),
                 truncated=sum(len(call.file) > 63 for call in run.opens))


def text_bio(run, lines, truth):
    lines += ['Attaching 4 probes...',
              f"{'TIMESTAMP':<17} {'TIME':<9} {'PID':<8} {'COMM':<14} {'DONEPID':<8} {'DONECOMM':<14} "
              f"{'DISK':<4} T {'SECTOR':<16} {'BYTES':<12} LAT(ns)"]
    out = Bpftrace('bio.out', run.blocks)
    for n, b in enumerate(out.events):
        idle = f'swapper/{b.cpu}'
        lines.append(f'{out.head(n)}{b.pid:<8} {b.comm:<14} {0:<8} {idle:<14} sda  {b.write} '
                     f'{b.sector:<16} {b.size:<12} {b.dur}')
    truth.source('bio.out')


def busy_ns(intervals, begin, end):
    first = max(bisect_left(intervals, (begin, 0)) - 1, 0)
    return sum(max(0, min(e, end) - max(s, begin)) for s, e in intervals[first:])


def kernels_ns(intervals, begin, end):
    return busy_ns(intervals, begin, end) * KERNELS_PERCENT // 100


def text_gpu(run, lines, truth):
    """pmon samples at 0.37 s of each second and prints the second; a sample covers the second before."""
    lines += ['#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command',
              '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name']
    for second in range(0, run.phases['run'][1] // SEC):
        t = second * SEC + 370 * MS
        stamp = f' {local(t):%Y%m%d   %H:%M:%S}'
        for gpu, intervals in enumerate(run.busy):
            share = (kernels_ns(intervals, t - SEC, t) * 100 + SEC // 2) // SEC
            pid, kind, values, fb, name = WORKERS[gpu], 'C', (share, share * 2 // 5, '-', '-'), 14871, 'python'
            if second < 2:
                pid, kind, values, fb, name = '-', '-', ('-',) * 4, '-', '-'
            elif t < run.phases['init'][1] - 1500 * MS:
                values, fb = ('-',) * 4, 12
            elif t < run.phases['run'][0]:
                fb = 1103
            numbers = ''.join(f'{value:>6}' for value in (*values, fb))
            lines.append(f'{stamp}{gpu:>7}{pid:>11}{kind:>6}{numbers}   {name:<15}')
            truth.gpu_sample(gpu, t, None if values[0] == '-' else share)
    truth.source('gpu.out')


def text_cpu(run, lines, truth):
    """mpstat reports at 0.81 s of each second; it was killed, so no averages follow."""
    lines += [f'Linux 5.15.0-88-generic (gpu01) \t{local(0):%m/%d/%Y} \t_x86_64_\t(16 CPU)', '',
              f'{local(0):%I:%M:%S %p}  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  '
              '%guest  %gnice   %idle']
    noise = Random('cpu.out')
    reading = [(b.start, b.start + b.dur) for b in run.blocks]
    for second in range(1, run.phases['run'][1] // SEC):
        t = second * SEC + 810 * MS
        gpu = sum(busy_ns(intervals, t - SEC, t) for intervals in run.busy)
        wait = sum(max(0, min(e, t) - max(s, t - SEC)) for s, e in reading)
        usr, iowait = 120 + gpu * 600 // SEC + noise.randrange(90), min(wait * 625 // SEC, 1250)
        system = 40 + noise.randrange(60)
        values = (usr, 0, system, iowait, 0, 5, 0, 0, 0, 10000 - usr - system - iowait - 5)
        lines.append(f'{local(t):%I:%M:%S %p}  all ' + ' '.join(f'{v // 100:>4}.{v % 100:02}' for v in values))
    truth.source('cpu.out')


def text_log(run, lines, truth):
    lines.append('Running with 2 ranks')
    for t, event, key, value, metadata in sorted(run.log, key=lambda entry: entry[0]):
        record = {'namespace': '', 'time_ms': (START_NS + t) // MS, 'event_type': event, 'key': key,
                  'value': value, 'metadata': {'file': 'train.py', 'lineno': 61, **metadata}}
        lines.append(':::MLLOG ' + json.dumps(record))
        if key == 'epoch_start':
            lines.append(f"epoch {metadata['epoch_num']} of 2")
    truth.source('train.log')


def text_pids(run, lines, truth):
    commands = [(LAUNCHER, f'{PYTHON} -m torch.distributed.launch --nproc_per_node=2 train.py')]
    commands += [(pid, f'{PYTHON} {MAIN} {i % 2}') for i, pid in enumerate(WORKERS + LOADERS)]
    for pid, command in commands:
        lines.append(f'root     {pid}  4.0  0.2 38122076 3120044 pts/0  Sl+  {local(0):%H:%M}   0:41 {command}')
    lines.append(f'root     1041402  0.0  0.0   6432   720 pts/1    S+   {local(0):%H:%M}   0:00 grep python')
    truth.source('pids.out')


# --- what a perfect reader gets ---

class Truth:
    def __init__(self, run):
        self.run = run
        self.sources = {}
        self.ops = defaultdict(lambda: defaultdict(int))
        self.pids = defaultdict(lambda: defaultdict(int))
        self.files = defaultdict(lambda: defaultdict(int))
        self.anonymous = defaultdict(lambda: defaultdict(int))
        self.samples = []

    def source(self, name, **facts):
        self.sources[name] = facts

    def call(self, op, call):
        moved = max(call.ret, 0)
        for table, key in ((self.ops, op), (self.pids, f'{call.pid} {op}')):
            table[key]['calls'] += 1
            table[key]['done_bytes'] += moved
            table[key]['total_ns'] += call.dur
            table[key]['failed'] += call.ret < 0
        if op == 'vfs_read':
            self.files[call.file]['reads'] += 1
            self.files[call.file]['done_bytes'] += moved
            self.files[call.file]['total_ns'] += call.dur
        if op == 'vfs_write' and (call.file in ('', '[eventfd]') or call.file.startswith('torch_')):
            kind = {'': 'unnamed', '[eventfd]': 'eventfd'}.get(call.file, 'shm')
            self.anonymous[str(call.pid)][kind + '_writes'] += 1
            self.anonymous[str(call.pid)][kind + '_bytes'] += moved

    def gpu_sample(self, gpu, t, share):
        self.samples.append((gpu, t, share))

    def block(self, begin, end):
        inside = [b for b in self.run.blocks if begin <= b.start < end]
        return {'reads': sum(not b.write for b in inside), 'writes': sum(b.write for b in inside),
                'read_bytes': sum(b.size for b in inside if not b.write),
                'write_bytes': sum(b.size for b in inside if b.write),
                'total_ns': sum(b.dur for b in inside)}

    def phase(self, begin, end):
        begin, end = begin // MS * MS, end // MS * MS  # as logged
        gpus = [{'busy_ns': kernels_ns(intervals, begin, end),
                 'idle_ns': end - begin - kernels_ns(intervals, begin, end),
                 'samples_at_zero': sum(g == gpu and begin <= t - SEC and t <= end and share == 0
                                        for g, t, share in self.samples)}
                for gpu, intervals in enumerate(self.run.busy)]
        return {'start_ns': START_NS + begin, 'end_ns': START_NS + end,
                'gpus': gpus, 'block': self.block(begin, end)}

    def stall(self):
        path, pid, start, dur = self.run.stall
        waiting = [dur - busy_ns(intervals, start, start + dur) for intervals in self.run.busy]
        return {'path': path, 'pid': pid, 'start_ns': START_NS + start, 'dur_ns': dur,
                'printed_latency': int32(dur), 'gpu_waiting_ns': waiting}

    def as_json(self):
        top = sorted(self.files.items(), key=lambda item: -item[1]['done_bytes'])[:5]
        facts = {'boot_epoch_ns': BOOT_EPOCH_NS, 'utc_offset_s': UTC_OFFSET_S, 'sources': self.sources,
                 'calls': self.ops, 'calls_by_pid': self.pids, 'top_read_files': dict(top),
                 'block': self.block(0, 2**63), 'stall': self.stall(),
                 'anonymous_writer': ANONYMOUS_WRITER, 'anonymous_writes': self.anonymous,
                 'workers': WORKERS, 'loaders': LOADERS,
                 'phases': {label: self.phase(*times) for label, times in self.run.phases.items()}}
        return json.dumps(facts, indent=1) + '\n'


PRINTERS = {'vfs_rw.out': text_vfs_rw, 'open.out': text_open, 'bio.out': text_bio, 'gpu.out': text_gpu,
            'cpu.out': text_cpu, 'train.log': text_log, 'pids.out': text_pids}


def generate():
    """The files by name."""
    run = Run().play()
    truth = Truth(run)
    files = {}
    for name, printer in PRINTERS.items():
        lines = []
        printer(run, lines, truth)
        truth.sources[name]['lines'] = len(lines)
        files['run/' + name] = '\n'.join(lines) + '\n'
    files['truth.json'] = truth.as_json()
    return files


def main():
    different = 0
    for name, text in generate().items():
        path = HERE / name
        if sys.argv[1:] != ['--check']:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding='utf-8')
        elif path.read_text(encoding='utf-8') != text:
            print(f'{path} is not what generate.py writes')
            different = 1
    return different


if __name__ == '__main__':
    sys.exit(main())
