#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What recording costs on the GPU of this machine: 'record --cuda' of three jobs, 'record -e cuda' per launch with and without a threshold.
Each way in turn, round by round, so that what the machine does otherwise hits all of them.

usage: costs.py TRACEDB [ROUNDS [JOB ...]]        JOB: compute, loader, paced, launches; all of them by default
A verdict per line; exit 1 if one is WRONG, 77 where there is no GPU.
Needs, as python3, one that has PyTorch."""
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAUNCHES = 100000
MAX_NS = 2000  # of a call, by uprobes
wrong = 0


def verdict(holds, text):
    global wrong
    wrong += not holds
    print('ok     ' if holds else 'WRONG  ', text, flush=True)


# --- what is measured, in a process of its own; seconds ---

def undisturbed(passes, work):
    """A tenth of them were faster: what the machine does otherwise makes the others slower, never faster."""
    import torch
    taken = []
    for _ in range(passes):
        begin = time.monotonic()
        work()
        torch.cuda.synchronize()
        taken.append(time.monotonic() - begin)
    return statistics.quantiles(taken, n=10)[0]


def loader():
    """Files are read, copied and added: the GPU waits for the loader. Into one buffer, as fresh pages cost more than all that is measured."""
    import torch
    with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        paths = [Path(folder) / str(i) for i in range(16)]
        for path in paths:
            path.write_bytes(os.urandom(16 << 20))
        a, data = torch.zeros(2048, 2048, device='cuda'), bytearray(16 << 20)
        host = torch.frombuffer(data, dtype=torch.uint8)

        def epoch():
            for path in paths:
                with open(path, 'rb', buffering=0) as f:
                    f.readinto(data)
                for part in host.cuda().view(4, 2048, 2048):
                    a.add_(part)

        epoch()
        return undisturbed(60, epoch)


def compute():
    """Products of 100 us and more each."""
    import torch
    a = torch.randn(4096, 4096, device='cuda', dtype=torch.float16)
    (a @ a).sum().item()
    return undisturbed(40, lambda: [a @ a for _ in range(250)])


def paced():
    """100,000 small kernels a second, for 3 seconds."""
    import torch
    a = torch.zeros(64, device='cuda')
    for _ in range(1000):
        a += 1
    torch.cuda.synchronize()
    begin = time.monotonic()
    for i in range(3 * LAUNCHES):
        a += 1
        while i % 100 == 99 and time.monotonic() < begin + i / 100000:
            pass
    torch.cuda.synchronize()
    return time.monotonic() - begin


def launches():
    """Tiny kernels as fast as they can be launched."""
    import torch
    a = torch.zeros(64, device='cuda')
    for _ in range(1000):
        a += 1
    torch.cuda.synchronize()
    begin = time.monotonic()
    for _ in range(LAUNCHES):
        a += 1
    torch.cuda.synchronize()
    return time.monotonic() - begin


JOBS = {'loader': loader, 'compute': compute, 'paced': paced, 'launches': launches}


# --- measuring ---

def seconds(tracedb, job, *options):
    command = ['python3', __file__, '--job', job]
    if options:
        spool = Path(tempfile.gettempdir()) / f'costs-{os.getpid()}.db'
        command = [tracedb, 'record', '-q', '--no-import', '--force', '-o', spool, *options, '--', *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for left in Path(tempfile.gettempdir()).glob(f'costs-{os.getpid()}.db*'):
        left.unlink()
    if done.returncode:
        print(done.stderr[-2000:])
        raise SystemExit(f'{command}: exit {done.returncode}')
    return json.loads(done.stdout.splitlines()[-1])


def in_turn(tracedb, job, ways, rounds):
    """seconds by way, in the order of the rounds; the first one goes before the others in every other round."""
    taken = {way: [] for way in ways}
    for i in range(rounds):
        for way in list(ways)[::1 if i % 2 else -1]:
            taken[way].append(seconds(tracedb, job, *ways[way]))
    return taken


LIMITS = {'compute': 1.01, 'loader': 1.01, 'paced': 1.08}


def ratios(tracedb, rounds, jobs):
    for job in jobs:
        taken = in_turn(tracedb, job, {'alone': (), 'cuda': ('--cuda',)}, rounds)
        each = sorted(b / a for a, b in zip(taken['alone'], taken['cuda']))
        noise = max(taken['alone']) / min(taken['alone'])
        verdict(statistics.median(each) <= LIMITS[job], f'{job}: with --cuda {statistics.median(each):.3f} of the time (limit {LIMITS[job]}), rounds '
                f'{", ".join(f"{x:.3f}" for x in each)}; alone {min(taken["alone"]):.4f} .. {max(taken["alone"]):.4f} s ({noise:.3f})')


def per_launch(tracedb, rounds):
    ways = {'alone': (), 'counted': ('-e', 'cuda'), 'timed': ('-e', 'cuda', '--cuda-threshold', '100us')}
    taken = in_turn(tracedb, 'launches', ways, rounds)
    for way in ('counted', 'timed'):
        each = sorted((b - a) / LAUNCHES * 1e9 for a, b in zip(taken['alone'], taken[way]))
        verdict(statistics.median(each) <= MAX_NS, f'-e cuda, launches {way}: {statistics.median(each):.0f} ns each (limit {MAX_NS}), rounds '
                f'{", ".join(f"{x:.0f}" for x in each)}; alone {min(taken["alone"]) / LAUNCHES * 1e9:.0f} ns a launch')


def beginnings():
    """What uprobes are put on: push and endbr64 the kernel passes without a single step."""
    cuda = ctypes.CDLL('libcuda.so.1')
    for name in ('cuLaunchKernel', 'cuLaunchKernelEx', 'cuMemcpyHtoDAsync_v2', 'cuStreamSynchronize'):
        print(f'facts   {name}:', ctypes.string_at(ctypes.cast(getattr(cuda, name), ctypes.c_void_p).value, 24).hex(' '))


def main(tracedb, rounds='5', *jobs):
    if not os.path.exists('/dev/nvidiactl'):
        print('no GPU on this machine')
        return 77
    beginnings()
    jobs = jobs or tuple(JOBS)
    if 'launches' in jobs:
        per_launch(tracedb, int(rounds))
    ratios(tracedb, int(rounds), [job for job in jobs if job in LIMITS])
    print(f'{wrong} wrong')
    return 1 if wrong else 0


if sys.argv[1] == '--job':
    print(json.dumps(JOBS[sys.argv[2]]()))
else:
    sys.exit(main(*sys.argv[1:]))
