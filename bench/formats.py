# SPDX-License-Identifier: MIT
"""Makes inputs of every format, of any number of lines, always the same bytes for the same number.

What matters for speed is real: many processes, files and names, times that advance, lines slightly out of
order where they are in reality, calls that are torn in two by others. What JSON and databases have instead of
lines are their elements and rows."""
import json
import random
import struct
import time

import wire
from nsys_tables import new_export

EPOCH_S = 1795178410.0
BOOT_NS = 1049876543210987
PIDS = [4711 + 3 * i for i in range(9)]
FILES = [f'/data/case_{i:05d}_{"x" if i % 3 else "y"}.npy' for i in range(1000)]
COMMANDS = ['python3', 'pt_data_worker', 'kworker/0:1H', 'tmux: server', 'nvidia-smi', 'cat', 'bash', 'sshd']
DISKS = ['nvme0n1', 'nvme1n1', 'sda', 'sdb', 'dm-0', 'md127', 'vda', 'loop3']


class Source:
    """A seeded random source and a clock that advances."""

    files = 0 # that were made of the same format: the next one has other values

    def __init__(self, seed):
        self.random = random.Random(seed + 1000 * self.files)
        self.now = 0.0

    def step(self, mean_s):
        self.now += self.random.random() * 2 * mean_s
        return self.now

    def below(self, n):
        return int(self.random.random() * n)

    def one_of(self, what):
        return what[int(self.random.random() * len(what))]

    def log_normal(self, median, sigma=0.6):
        return median * self.random.lognormvariate(0, sigma)

    def percent(self):
        return self.random.random() * 100


def local(seconds):
    return time.gmtime(EPOCH_S + seconds)


def clock(seconds):
    return time.strftime('%H:%M:%S', local(seconds))


def date_and_clock(seconds, form='%Y-%m-%d %H:%M:%S'):
    return time.strftime(form, local(seconds))


# --- traces ---

def strace_call(s, pid, path):
    """Name, arguments up to where a call can be torn, and the rest."""
    took = f'<{s.log_normal(28e-6):.6f}>'
    address = f'0x7f{s.below(1 << 36):010x}'
    size = s.below(1 << 18) + 1
    calls = (
        (60, 'read', f'(3<{path}>, ',
         f'"\\223NUMPY\\1\\0v\\0{{\'descr\': \'<f4\', \'for"..., {size}) = {size} {took}'),
        (15, 'lseek', f'(3<{path}>, {size * 512}, SEEK_SET', f') = {size * 512} {took}'),
        (10, 'futex', f'({address}, FUTEX_WAIT_PRIVATE, 2, NULL',
         f') = -1 EAGAIN (Resource temporarily unavailable) {took}'),
        (7, 'mmap', f'(NULL, {size & ~4095}, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0',
         f') = {address} {took}'),
        (8, 'write', f'(1<pipe:[{4000 + pid}]>, "\\1"', f', 1) = 1 {took}'))
    at = s.percent()
    for share, name, begin, rest in calls:
        if at < share:
            break
        at -= share
    return name, begin, rest


def strace(file, lines):
    """strace -f -ttt -T -y of nine workers that read a thousand files; a tenth of the calls torn by others."""
    s = Source(1)
    path, torn, written = dict.fromkeys(PIDS), {}, 0
    while written < lines:
        pid = s.one_of(PIDS)
        prefix = f'{pid}  {EPOCH_S + s.step(20e-6):.6f} '
        if pid in torn:
            text = torn.pop(pid)
        elif path[pid] is None:
            path[pid] = s.one_of(FILES)
            text = (f'openat(AT_FDCWD</workspace/unet3d>, "{path[pid]}", O_RDONLY|O_CLOEXEC) = 3<{path[pid]}> '
                    f'<{s.log_normal(30e-6):.6f}>')
        elif s.below(10) == 0:
            text = f'close(3<{path[pid]}>) = 0 <{s.log_normal(12e-6):.6f}>'
            path[pid] = None
        else:
            name, begin, rest = strace_call(s, pid, path[pid])
            text = f'{name}{begin}{rest}'
            if s.below(9) == 0:
                torn[pid] = f'<... {name} resumed>{rest}'
                text = f'{name}{begin} <unfinished ...>'
        file.write(f'{prefix}{text}\n')
        written += 1


def bpftrace(file, lines):
    """vfs_rw.out of the DGX-1 scripts."""
    s = Source(2)
    file.write('Attaching 6 probes...\nCapturing VFS Read and Write calls\n'
               'TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED  RETURNED   FILE\n')
    for _ in range(lines - 3):
        now = s.step(60e-6)
        asked = 4096 << s.below(6)
        name = s.one_of(FILES).rpartition('/')[2] if s.below(20) else f'torch_{s.one_of(PIDS)}_{s.below(40):03d}'
        file.write(f'{BOOT_NS + int(now * 1e9) - s.below(20) * 15000:<17} {clock(now)}  {s.one_of(PIDS):<6} '
                   f'{s.one_of(COMMANDS):<14} {"RW"[s.below(10) == 0]:<4} {int(s.log_normal(5000)):<7} {asked:<10} '
                   f'{asked:<10} {name}\n')


def opens(s):
    failed = s.below(12) == 0
    return (f'{s.one_of(PIDS):<6} {s.one_of(COMMANDS):<16} {-1 if failed else 3 + s.below(60):4d} '
            f'{2 if failed else 0:3d} {s.one_of(FILES)}')


def bpftrace_tools(file, lines):
    """opensnoop.bt"""
    s = Source(3)
    file.write('Attaching 6 probes...\nTracing open syscalls... Hit Ctrl-C to end.\n'
               'PID    COMM               FD ERR PATH\n')
    for _ in range(lines - 3):
        file.write(opens(s) + '\n')


def bpftrace_json(file, lines):
    """The same with -f json."""
    s = Source(4)
    file.write('{"type": "attached_probes", "data": {"probes": 6}}\n'
               '{"type": "printf", "data": "PID    COMM               FD ERR PATH\\n"}\n')
    for _ in range(lines - 2):
        file.write(f'{{"type": "printf", "data": {json.dumps(opens(s) + chr(10))}}}\n')


def perf_script(file, lines):
    """System calls, block requests and switches of tasks."""
    s = Source(5)
    tasks = [(command, pid + i) for i, command in enumerate(COMMANDS) for pid in PIDS]
    within, issued, sector = {}, [], 8
    for _ in range(lines):
        command, tid = s.one_of(tasks)
        what = s.below(10)
        event, args = 'sched:sched_switch', ''
        if what < 8:
            if tid in within:
                event, args = f'syscalls:sys_exit_{within.pop(tid)}', f'{s.below(1 << 18):#x}'
            else:
                within[tid] = s.one_of(('read', 'pread64', 'write', 'close'))
                event = f'syscalls:sys_enter_{within[tid]}'
                args = f'fd: {3 + s.below(60):#010x}, buf: 0x7f{s.below(1 << 36):010x}, count: {s.below(1 << 18):#010x}'
        elif what == 8:
            following = s.one_of(tasks)
            args = (f'prev_comm={command} prev_pid={tid} prev_prio=120 prev_state={s.one_of("RSD")} ==> '
                    f'next_comm={following[0]} next_pid={following[1]} next_prio=120')
        elif len(issued) > s.below(32):
            event, args = 'block:block_rq_complete', f'259,0 R () {issued.pop(s.below(len(issued)))} + 8 [0]'
        else:
            sector += 8
            issued.append(sector)
            event, args = 'block:block_rq_issue', f'259,0 R 4096 () {sector} + 8 [{command}]'
        file.write(f'{command:>16} {tid:5d} [{s.below(16):03d}] {15231 + s.step(10e-6):.6f}: {event:>35}: {args}\n')


def perf_trace(file, lines):
    s = Source(6)
    tasks = [f'{command}/{pid + i}' for i, command in enumerate(COMMANDS) for pid in PIDS]
    for _ in range(lines):
        size = s.below(1 << 18)
        text, ret = s.one_of((
            (f'read(fd: {3 + s.below(60)}<{s.one_of(FILES)}>, buf: 0x7f{s.below(1 << 36):010x}, count: {size})', size),
            (f'openat(dfd: CWD, filename: "{s.one_of(FILES)}", flags: RDONLY|CLOEXEC)', 3 + s.below(60)),
            (f'futex(uaddr: 0x7f{s.below(1 << 36):010x}, op: WAIT|PRIVATE_FLAG, val: 2)',
             '-1 EAGAIN (Resource temporarily unavailable)')))
        file.write(f'{s.step(10e-6) * 1e3:10.3f} ({s.log_normal(0.02):6.3f} ms): {s.one_of(tasks)} {text:<70} = {ret}\n')


# --- samplers ---

def mpstat(file, lines):
    """-P ALL on 64 CPUs."""
    s = Source(7)
    file.write('Linux 6.1.0 (box) \t2026-11-20 \t_x86_64_\t(64 CPU)\n')
    written, second = 1, 0
    while written < lines:
        second += 1
        file.write(f'\n{clock(second - 1)}     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  '
                   '%gnice   %idle\n')
        for cpu in ['all', *range(64)]:
            user = s.percent() * 0.8
            file.write(f'{clock(second)}    {cpu:>4} {user:7.2f}    0.00    2.50    0.50    0.00    0.25    0.00    0.00'
                       f'    0.00 {96.75 - user:7.2f}\n')
        written += 67


def sysstat_json(file, form, entries):
    file.write('{"sysstat": {\n\t"hosts": [\n\t\t{\n\t\t\t"nodename": "box",\n\t\t\t"sysname": "Linux",\n'
               '\t\t\t"release": "6.1.0",\n\t\t\t"machine": "x86_64",\n\t\t\t"number-of-cpus": 64,\n'
               f'\t\t\t"date": "2026-11-20",\n\t\t\t"statistics": [\n')
    for i, entry in enumerate(entries):
        stamp = date_and_clock(i, form)
        file.write(f'{"," if i else ""}\n\t\t\t\t{{\n\t\t\t\t\t"timestamp": "{stamp}",\n{entry}\n\t\t\t\t}}')
    file.write('\n\t\t\t]\n\t\t}\n\t]\n}}\n')


def mpstat_json(file, lines):
    s = Source(8)

    def entry():
        users = [(cpu, s.percent() * 0.8) for cpu in ['all', *range(64)]]
        rows = ',\n'.join(
            f'\t\t\t\t\t\t{{"cpu": "{cpu}", "usr": {user:.2f}, "nice": 0.00, "sys": 2.50, "iowait": 0.50, "irq": 0.00, '
            f'"soft": 0.25, "steal": 0.00, "guest": 0.00, "gnice": 0.00, "idle": {96.75 - user:.2f}}}'
            for cpu, user in users)
        return f'\t\t\t\t\t"cpu-load": [\n{rows}\n\t\t\t\t\t]'

    sysstat_json(file, '%H:%M:%S', (entry() for _ in range(lines // 70 + 1)))


def iostat(file, lines):
    """-x -t of eight disks."""
    s = Source(9)
    file.write('Linux 6.1.0 (box) \t2026-11-20 \t_x86_64_\t(64 CPU)\n\n')
    written, second = 2, 0
    while written < lines:
        second += 1
        file.write(f'\n{date_and_clock(second, "%Y-%m-%dT%H:%M:%S+0000")}\n'
                   'avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n'
                   '          54.43    0.00    6.20    0.10    0.05   39.22\n\n'
                   'Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm '
                   'w_await wareq-sz  aqu-sz  %util\n')
        for disk in DISKS:
            reads, writes = s.log_normal(800), s.log_normal(90)
            file.write(f'{disk:<12} {reads:8.2f} {reads * 128:9.2f}     0.00   0.00    0.31   128.00 {writes:7.2f} '
                       f'{writes * 75:9.2f}     1.00   0.50    0.20    75.20    0.04 {s.percent():6.2f}\n')
        file.write('\n')
        written += 15


def iostat_json(file, lines):
    s = Source(10)

    def entry():
        rows = ',\n'.join(
            f'\t\t\t\t\t\t{{"disk_device": "{disk}", "r/s": {s.log_normal(800):.2f}, "w/s": {s.log_normal(90):.2f}, '
            f'"rMB/s": {s.log_normal(100):.2f}, "wMB/s": {s.log_normal(7):.2f}, "rrqm/s": 0.00, "wrqm/s": 1.00, '
            f'"r_await": 0.31, "w_await": 0.20, "rareq-sz": 128.00, "wareq-sz": 75.20, "aqu-sz": 0.04, '
            f'"util": {s.percent():.2f}}}' for disk in DISKS)
        return f'\t\t\t\t\t"disk": [\n{rows}\n\t\t\t\t\t]'

    sysstat_json(file, '%Y-%m-%dT%H:%M:%S+0000', (entry() for _ in range(lines // 13 + 1)))


def nvidia_smi(file, lines):
    """pmon -s um -o DT of eight GPUs with a process each, and one of two."""
    s = Source(11)
    header = ('#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command\n'
              '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name\n')
    written, second = 0, 0
    while written < lines:
        if second % 20 == 0:
            file.write(header)
            written += 2
        second += 1
        stamp = date_and_clock(second, ' %Y%m%d   %H:%M:%S')
        for gpu in range(9):
            file.write(f'{stamp}     {gpu % 8:2d} {PIDS[gpu]:10d}     C {s.below(101):5d} {s.below(60):5d}     -     - '
                       f'{4000 + s.below(70000):5d}   python3        \n')
        written += 9


def nvidia_query(file, lines):
    s = Source(12)
    file.write('timestamp, index, utilization.gpu [%], utilization.memory [%], memory.used [MiB], temperature.gpu, '
               'power.draw [W], pstate\n')
    for i in range(lines - 1):
        stamp = date_and_clock(i // 8, '%Y/%m/%d %H:%M:%S')
        file.write(f'{stamp}.{250 + i % 8:03d}, {i % 8}, {s.below(101)} %, {s.below(60)} %, {4000 + s.below(70000)} MiB, '
                   f'{30 + s.below(50)}, {s.percent() * 4:.2f} W, P0\n')


def ps(file, lines):
    """auxww of a machine with as many processes."""
    s = Source(13)
    file.write('USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n')
    for i in range(lines - 1):
        file.write(f'{s.one_of(("root", "systemd+", "user7", "me")):<10} {i + 1:6d} {s.percent():4.1f}  0.1 '
                   f'{s.below(1 << 24):6d} {s.below(1 << 20):5d} ?        Sl   10:46   0:{s.below(60):02d} '
                   f'/usr/bin/{s.one_of(COMMANDS)} -u main.py --local_rank={s.below(8)} --data {s.one_of(FILES)}\n')


# --- training logs ---

def mllog(file, lines):
    s = Source(14)
    for i in range(lines):
        step, edge = divmod(i, 2)
        key, interval = (('epoch_stop', 'INTERVAL_END') if edge else ('epoch_start', 'INTERVAL_START'))
        if step % 3 == 2:
            key, interval = 'eval_accuracy', 'POINT_IN_TIME'
        value = f'{s.random.random():.6f}' if interval == 'POINT_IN_TIME' else 'null'
        file.write(f':::MLLOG {{"namespace": "", "time_ms": {int((EPOCH_S + s.step(0.5)) * 1e3)}, "event_type": '
                   f'"{interval}", "key": "{key}", "value": {value}, "metadata": {{"file": "/workspace/unet3d/main.py", '
                   f'"lineno": {60 + s.below(400)}, "epoch_num": {step + 1}}}}}\n')


def iso(seconds):
    return f'{date_and_clock(seconds, "%Y-%m-%dT%H:%M:%S")}.{int(seconds % 1 * 1e6):06d}'


def dlio(file, lines):
    s = Source(15)
    written, epoch = 0, 0
    while written < lines:
        epoch += 1
        file.write(f'[OUTPUT] {iso(s.step(0.1))} Starting epoch {epoch}: 42 steps expected [/opt/dlio/statscounter.py:129]\n'
                   f'[OUTPUT] {iso(s.step(0.1))} Starting block 1\n')
        for step in range(1, 43):
            for rank in range(2):
                file.write(f'[INFO] {iso(s.step(0.1))} Rank {rank} step {step}: loaded 4 samples in '
                           f'{s.log_normal(0.05):.4f} s\n'
                           f'[INFO] {iso(s.step(0.1))} Rank {rank} step {step} processed 4 samples in '
                           f'{s.log_normal(0.05):.4f} s\n')
        file.write(f'[OUTPUT] {iso(s.step(0.1))} Ending block 1 - 42 steps completed in 64.00 s\n'
                   f'[OUTPUT] {iso(s.step(0.1))} Epoch {epoch} - Block 1 [Training] Accelerator Utilization [AU] (%): '
                   f'{s.percent():.4f}\n'
                   f'[OUTPUT] {iso(s.step(0.1))} Ending epoch {epoch} - 42 steps completed in 65.00 s\n')
        written += 5 + 42 * 4


def dlio_json(file, lines):
    """0_per_epoch_stats.json of as many epochs as it takes."""
    s = Source(16)
    epochs = {}
    for epoch in range(1, lines // 8 + 2):
        block = {'start': iso(s.step(0.1)), 'end': iso(s.step(60)), 'duration': f'{s.log_normal(60):.2f}'}
        epochs[str(epoch)] = {'start': iso(s.now), 'block1': block, 'end': iso(s.step(0.1))}
    json.dump(epochs, file, indent=4)


# --- profiles ---

KINETO_LAUNCH = """  {{
    "ph": "X", "cat": "cpu_op", "name": "{op}", "pid": 4711, "tid": 4711,
    "ts": {ts:.3f}, "dur": {dur:.3f},
    "args": {{
      "External id": {id},"Record function id": 0, "Ev Idx": {id}, "Input Dims": [[{dim}, 512], [512], []], \
"Input type": ["float", "float", "Scalar"]
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4711, "tid": 4711,
    "ts": {launch:.3f}, "dur": 4.512,
    "args": {{
      "External id": {id}, "cbid": 211, "correlation": {id}
    }}
  }},
  {{
    "ph": "s", "id": {id}, "pid": 4711, "tid": 4711, "ts": {launch:.3f},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "{kernel}", "pid": 0, "tid": 7,
    "ts": {start:.3f}, "dur": {run:.3f},
    "args": {{
      "External id": {id}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {id},
      "registers per thread": 32, "shared memory": 0, "blocks per SM": 2.37, "warps per SM": 9.481482,
      "grid": [{dim}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 15
    }}
  }},
  {{
    "ph": "f", "id": {id}, "pid": 0, "tid": 7, "ts": {start:.3f},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }}"""


def kineto(file, lines):
    """As Kineto prints it since 2024; five events per launch."""
    rng, now = Source(20231115).random, 4203669604595.407
    ops = [f'aten::op_{i}' for i in range(120)]
    kernels = [f'void at::native::vectorized_elementwise_kernel<4, at::native::Functor_{i}<float>, '
               'at::detail::Array<char*, 3> >(int, at::detail::Array<char*, 3>)' for i in range(150)]
    file.write('\n{\n  "schemaVersion": 1,\n  "deviceProperties": [],\n  "traceEvents": [\n')
    for i in range(lines // 5):
        dur = rng.lognormvariate(3, 1)
        file.write((',\n' if i else '') + KINETO_LAUNCH.format(
            op=rng.choice(ops), kernel=rng.choice(kernels), id=i + 1, dim=rng.randrange(1, 4096),
            ts=now, dur=dur, launch=now + dur / 2, start=now + dur, run=rng.lognormvariate(2, 1)))
        now += dur + 1
    file.write('\n  ],\n  "baseTimeNanoseconds": 1711964646000000000\n}\n')


def nsys(path, lines):
    """An export with kernels, API calls and OS-runtime calls, a third each."""
    s = Source(17)
    db = new_export(path, int(EPOCH_S * 1e9))
    names = ['read', 'pthread_mutex_lock', 'poll', 'write', 'cudaLaunchKernel', 'cudaMemcpyAsync']
    names += [f'kernel_{i}' for i in range(150)]
    db.executemany('INSERT INTO StringIds VALUES (?, ?)', enumerate(names))
    pid = 281491753926656

    def times():
        start = int(s.step(3e-6) * 1e9)
        return start, start + int(s.log_normal(4000))

    third = lines // 3
    db.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0)',
                   ((*times(), pid + 1000 + s.below(9), i, 4 + s.below(2)) for i in range(third)))
    s.now = 0.0
    kernel_ids = range(6, 156)
    db.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?)',
                   ((*times(), i, pid, name, name) for i, name in ((i, s.one_of(kernel_ids)) for i in range(third))))
    s.now = 0.0
    db.executemany('INSERT INTO OSRT_API VALUES (?, ?, 27, ?, ?, ?, 0, 0)',
                   ((*times(), pid + 1000 + s.below(9), s.below(4), s.below(4096)) for _ in range(lines - 2 * third)))
    db.commit()
    db.close()


def folded(file, lines):
    """Stacks of a program, as stackcollapse-perf.pl writes them."""
    s = Source(19)
    for _ in range(lines):
        frames = ';'.join(f'step_{depth}_{s.below(4)}' for depth in range(4 + s.below(12)))
        file.write(f'{s.one_of(COMMANDS[:2])};{frames};vfs_read_[k] {1 + s.below(1000)}\n')


# --- recordings ---

def record(file, lines):
    """What tracedb-record writes, before it is compressed."""
    s = Source(18)
    files = FILES[:lines // 10]
    texts = [b'box', b'6.1.0', b'0.1.0', b'-- python3 main.py']
    file.write(wire.record(wire.HEADER, struct.pack('<8sIIQI4HI', b'tracedb', 0x01020304, 1, BOOT_NS, 64, *map(len, texts), 4096) +
                    b''.join(texts)))
    file.write(wire.record(wire.ANCHOR, struct.pack('<QQq', BOOT_NS, BOOT_NS + 100, int(EPOCH_S * 1e9))))
    for op, name in enumerate((b'read', b'pread64', b'write'), 1):
        file.write(wire.record(wire.OP, struct.pack('<HBBI', op, 1, len(name), 0) + name))
    for pid in PIDS:
        file.write(wire.record(wire.PROCESS, struct.pack('<QQIIIIHHI', BOOT_NS, 1, 1, 0, 0, pid, 7, 7, 0) + b'python3python3', pid, 1))
    for i, path in enumerate(files, 1):
        name = path.encode()
        file.write(wire.record(wire.FILE, struct.pack('<IIQHBBHH', i, 259 << 20, 1000 + i, 0o100644, 1, 0, 0, len(name)) + name))
    for _ in range(lines - 5 - len(PIDS) - len(files) - 1):
        start = BOOT_NS + int(s.step(3e-6) * 1e9) - s.below(20) * 1500
        pid, size = s.one_of(PIDS), s.below(1 << 18)
        file.write(wire.record(wire.CALL_IO, struct.pack('<QQIIiHHiIQ', start, int(s.log_normal(4000)), pid, 1 + s.below(len(files)),
                                                  3 + s.below(60), 1 + s.below(3), 0, size, size, size * 512), pid, 6))
    file.write(wire.record(wire.END, struct.pack('<QQiI', BOOT_NS + int(s.now * 1e9), lines - 1, 0, 0)))


# Name of the importer: what makes its input, the name that it needs, and how the file is opened.
FORMATS = {
    'bpftrace': (bpftrace, 'vfs_rw.out', 'w'),
    'bpftrace_json': (bpftrace_json, 'opensnoop.json', 'w'),
    'bpftrace_tools': (bpftrace_tools, 'opensnoop.txt', 'w'),
    'dlio': (dlio, 'dlio.log', 'w'),
    'dlio_json': (dlio_json, '0_per_epoch_stats.json', 'w'),
    'folded': (folded, 'stacks.folded', 'w'),
    'iostat': (iostat, 'iostat.txt', 'w'),
    'iostat_json': (iostat_json, 'iostat.json', 'w'),
    'kineto': (kineto, 'trace.json', 'w'),
    'mllog': (mllog, 'train.log', 'w'),
    'mpstat': (mpstat, 'mpstat.txt', 'w'),
    'mpstat_json': (mpstat_json, 'mpstat.json', 'w'),
    'nsys': (nsys, 'report1.sqlite', ''),
    'nvidia_query': (nvidia_query, 'gpu.csv', 'w'),
    'nvidia_smi': (nvidia_smi, 'pmon.txt', 'w'),
    'perf_script': (perf_script, 'perf-script.txt', 'w'),
    'perf_trace': (perf_trace, 'perf-trace.txt', 'w'),
    'ps': (ps, 'ps.txt', 'w'),
    'record': (record, 'run.db.spool', 'wb'),
    'strace': (strace, 'strace.txt', 'w'),
}


def make(name, lines, folder):
    """The path of a new input of that format in the folder."""
    function, file_name, mode = FORMATS[name]
    path = folder / file_name
    path.unlink(missing_ok=True)
    if not mode:
        function(path, lines)
        return path
    with open(path, mode, encoding=None if 'b' in mode else 'utf-8') as file:
        function(file, lines)
    return path
