#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same work on GPU 0 each time, for cuda.py: plain STEPS, profiled STEPS TRACE.json, version. The last line is JSON."""
import json
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


def main(what, n='0', path=None):
    if what == 'version':
        said = {'torch': torch.__version__, 'cuda': torch.version.cuda, 'gpu': torch.cuda.get_device_name(0)}
    else:
        said = profiled(int(n), path) if what == 'profiled' else run(int(n))
    print(json.dumps(said), flush=True)


main(*sys.argv[1:])
