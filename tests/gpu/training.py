#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training run on GPU 0 with gaps of known kinds, for live.py.

usage: training.py FOLDER [SECONDS]     writes FOLDER/train.log (mllog) and FOLDER/kineto.json.gz (every kernel: the truth)

Each epoch takes SECONDS and keeps the GPU busy in a way of its own."""
import gzip
import json
import os
import shutil
import sys
import time
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

SIZE = 8192             # of the matrices: a product takes some 1.5 ms
SAMPLES, SAMPLE_BYTES = 48, 4 << 20
# How an epoch alternates: seconds of kernels, seconds asleep; then one long stall in its middle, if any.
EPOCHS = [
    ('steady', 0.030, 0.002, 0),
    ('half', 0.040, 0.040, 0),
    ('starved', 0.020, 0.180, 0),
    ('stalled', 0.060, 0.005, 1.5),
    ('slow', 0.450, 0.550, 0),  # in step with samplers of one line per second
    ('odd', 0.730, 0.190, 2.5),
]


class Training:
    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds
        self.log = open(folder / 'train.log', 'w', encoding='utf-8')
        self.a = torch.randn(SIZE, SIZE, device='cuda', dtype=torch.bfloat16)
        self.b = torch.empty_like(self.a)
        self.data = folder / 'data'
        self.data.mkdir()
        for i in range(SAMPLES):
            (self.data / f'case_{i:05}_x.npy').write_bytes(os.urandom(SAMPLE_BYTES))

    def mark(self, kind, key, **metadata):
        line = {'namespace': '', 'time_ms': time.time_ns() // 10**6, 'event_type': kind, 'key': key, 'value': None,
                'metadata': {'file': 'training.py', 'lineno': 1, **metadata}}
        print(':::MLLOG ' + json.dumps(line), file=self.log, flush=True)

    def compute(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(4):
                torch.mm(self.a, self.a, out=self.b)
            torch.cuda.synchronize()

    def read(self, number):
        sample = (self.data / f'case_{number % SAMPLES:05}_x.npy').read_bytes()
        return torch.frombuffer(bytearray(sample), dtype=torch.uint8).cuda()

    def epoch(self, number, busy_s, gap_s, stall_s):
        self.mark('INTERVAL_START', 'epoch_start', epoch_num=number)
        begin, stalled, step = time.monotonic(), False, 0
        while time.monotonic() < begin + self.seconds:
            self.read(step)
            self.compute(busy_s)
            time.sleep(gap_s)
            if not stalled and stall_s and time.monotonic() > begin + self.seconds / 2:
                time.sleep(stall_s)
                stalled = True
            step += 1
        self.mark('INTERVAL_END', 'epoch_stop', epoch_num=number)


def main(folder, seconds=12):
    torch.cuda.init()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        run = Training(Path(folder), float(seconds))
        run.compute(0.5)
        run.mark('INTERVAL_START', 'run_start')
        for number, (_, busy_s, gap_s, stall_s) in enumerate(EPOCHS, 1):
            run.epoch(number, busy_s, gap_s, stall_s)
        time.sleep(1.5)
        run.mark('INTERVAL_END', 'run_stop')
    trace = run.folder / 'kineto.json'
    profiler.export_chrome_trace(str(trace))
    with open(trace, 'rb') as plain, gzip.open(f'{trace}.gz', 'wb', 3) as packed:
        shutil.copyfileobj(plain, packed)
    trace.unlink()


main(*sys.argv[1:])
