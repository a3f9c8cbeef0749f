#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same work on GPU 0 each time, for cuda.py: plain STEPS, profiled STEPS TRACE.json, version; for cuda_cases.py what each function of
CASES says. The last line is JSON."""
import json
import os
import sys
import time

import torch


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def steps(n):
    """Kernels of the library and of torch itself, copies both ways, sets."""
    for _ in range(n):
        a = torch.randn(512, 512).cuda()
        b = torch.zeros(512, 512, device='cuda')
        for _ in range(8):
            b = torch.relu(a @ a + b)
        b.sum().item()
    torch.cuda.synchronize()


def run(n):
    torch.cuda.init()
    begin = now()
    steps(n)
    end = now()
    return {'begin': begin, 'end': end, 'wall_ms': round((end - begin) / 1e6, 1)}


def profiled(n, path):
    torch.zeros(1, device='cuda')  # CUDA is in use when the profiler comes
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as profiler:
        said = run(n)
    profiler.export_chrome_trace(path)
    return said


def spins(n):
    """Kernels that do nothing for some 25 ms each, 10 ms apart: how long each took by the GPU's own events, and when it was asked for."""
    said = []
    torch.cuda._sleep(1000)
    torch.cuda.synchronize()
    for _ in range(int(n)):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        asked = now()
        torch.cuda._sleep(50_000_000)
        last.record()
        torch.cuda.synchronize()
        done = now()
        said.append((asked, done, first.elapsed_time(last)))
        time.sleep(0.01)
    return {'spins': said}


def endless():
    """Kernels without end, at a rate that fits the ring, to be killed; prints when each batch was done."""
    a = torch.zeros(64, device='cuda')
    while True:
        for _ in range(100):
            a += 1
        torch.cuda.synchronize()
        print(now(), flush=True)
        time.sleep(0.01)


def quits(n):
    """Ends by os._exit(), which runs nothing that was registered for the exit."""
    a = torch.zeros(64, device='cuda')
    for _ in range(int(n)):
        a += 1
    torch.cuda.synchronize()
    print('{}', flush=True)
    os._exit(0)


def memory():
    """Blocks that are too large for the allocator's pools, so that CUDA is asked for each."""
    torch.zeros(1, device='cuda')
    blocks = [torch.empty(100 << 20, dtype=torch.uint8, device='cuda') for _ in range(3)]
    most = torch.cuda.memory_reserved()
    blocks.clear()
    torch.cuda.empty_cache()
    left = torch.cuda.memory_reserved()
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device='cuda')
    except torch.OutOfMemoryError:
        pass
    return {'most': most, 'left': left}


def graph(n):
    """A graph of ten kernels that is launched n times."""
    a = torch.zeros(4096, device='cuda')
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        for _ in range(10):
            a += 1
    torch.cuda.synchronize()
    begin = now()
    for _ in range(int(n)):
        g.replay()
    torch.cuda.synchronize()
    return {'begin': begin, 'end': now(), 'value': a[0].item()}


def launches(n):
    """Tiny kernels as fast as they can be launched."""
    a = torch.zeros(64, device='cuda')
    for _ in range(1000):
        a += 1
    torch.cuda.synchronize()
    begin = now()
    for _ in range(int(n)):
        a += 1
    torch.cuda.synchronize()
    return {'wall_ms': (now() - begin) / 1e6}


def halfway(n, path):
    """A profiler that starts when the program has worked for a while, and stops before it ends."""
    begin = run(int(n))
    said = profiled(int(n), path)
    return {'before': begin, 'profiled': said, 'after': run(int(n))}


CASES = {'spins': spins, 'endless': endless, 'quits': quits, 'memory': memory, 'graph': graph, 'launches': launches, 'halfway': halfway}


def main(what, n='0', path=None):
    if what == 'version':
        said = {'torch': torch.__version__, 'cuda': torch.version.cuda, 'gpu': torch.cuda.get_device_name(0)}
    elif what in CASES:
        said = CASES[what](*sys.argv[2:])
    else:
        said = profiled(int(n), path) if what == 'profiled' else run(int(n))
    print(json.dumps(said), flush=True)


main(*sys.argv[1:])
