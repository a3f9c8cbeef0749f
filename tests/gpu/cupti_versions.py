#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libtracedb-cuda.so with the CUPTI of other toolkits on the GPU of this machine: a program that loads the CUDA runtime of a toolkit, beside
which its CUPTI is, must be told of as it says itself: kernels of known length, copies, sets, memory, graphs, a call that fails.

usage: cupti_versions.py LIBRARY FOLDER ...     FOLDER: of libcudart.so.* and libcupti.so.* of one toolkit (of Debian's packages libcudart11.0 and
libcupti11.8, say). A verdict per line; exit 1 if one is WRONG, 77 where there is no GPU."""
import ctypes
import json
import os
import re
import sys
import time
from pathlib import Path

MIN_VERSION = (11, 6)
OUT_OF_MEMORY = 2
MIB = 1 << 20
CAPTURE_RELAXED = 2
PTX = b"""
.version 7.0
.target sm_52
.address_size 64
.visible .entry spin(.param .u64 cycles)
{
    .reg .u64 %rd<5>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [cycles];
    mov.u64 %rd2, %clock64;
again:
    mov.u64 %rd3, %clock64;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}
"""


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


# --- the program ---

class Work:
    """By the driver's interface, with memory by the runtime's."""

    def __init__(self, runtime):
        self.runtime = ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
        self.driver = ctypes.CDLL('libcuda.so.1')
        self.stream, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.cu('cuInit', 0)
        self.cu('cuDeviceGet', ctypes.byref(device), 0)
        self.cu('cuDevicePrimaryCtxRetain', ctypes.byref(context), device)
        self.cu('cuCtxSetCurrent', context)
        self.cu('cuModuleLoadData', ctypes.byref(module), PTX)
        self.cu('cuModuleGetFunction', ctypes.byref(self.function), module, b'spin')
        self.cu('cuStreamCreate', ctypes.byref(self.stream), 1)

    def cu(self, name, *args):
        result = getattr(self.driver, name)(*args)
        assert result == 0, (name, result)

    def cuda(self, name, *args):
        result = getattr(self.runtime, name)(*args)
        assert result == 0, (name, result)

    def spin(self, cycles):
        value = ctypes.c_uint64(cycles)
        args = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        self.cu('cuLaunchKernel', self.function, 1, 1, 1, 1, 1, 1, 0, self.stream, args, None)

    def spins(self, count):
        """What was asked for when, and was done when; how long it took by the GPU's own events."""
        said = []
        first, last = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (first, last):
            self.cu('cuEventCreate', ctypes.byref(event), 0)
        for _ in range(count):
            self.cu('cuEventRecord', first, self.stream)
            asked = now()
            self.spin(50_000_000)
            self.cu('cuEventRecord', last, self.stream)
            self.cu('cuStreamSynchronize', self.stream)
            done, ms = now(), ctypes.c_float()
            self.cu('cuEventElapsedTime', ctypes.byref(ms), first, last)
            said.append((asked, done, ms.value))
        return said

    def memory(self):
        """Three blocks of 64 MiB; a set of one, a copy to and one from it; what cannot be had."""
        host, blocks = ctypes.create_string_buffer(MIB), [ctypes.c_void_p() for _ in range(3)]
        for block in blocks:
            self.cuda('cudaMalloc', ctypes.byref(block), ctypes.c_size_t(64 * MIB))
        self.cuda('cudaMemset', blocks[0], 7, ctypes.c_size_t(64 * MIB))
        self.cuda('cudaMemcpy', blocks[1], host, ctypes.c_size_t(MIB), 1)
        self.cuda('cudaMemcpy', host, blocks[0], ctypes.c_size_t(MIB // 2), 2)
        assert host.raw[:MIB // 2] == b'\7' * (MIB // 2)
        result = self.runtime.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(1 << 45))
        assert result == OUT_OF_MEMORY, result
        for block in blocks[1:]:
            self.cuda('cudaFree', block)

    def graph(self):
        """Ten kernels, launched 50 times."""
        graph, exe = ctypes.c_void_p(), ctypes.c_void_p()
        self.cu('cuStreamBeginCapture_v2', self.stream, CAPTURE_RELAXED)
        for _ in range(10):
            self.spin(1000)
        self.cu('cuStreamEndCapture', self.stream, ctypes.byref(graph))
        self.cu('cuGraphInstantiateWithFlags', ctypes.byref(exe), graph, ctypes.c_uint64(0))
        begin = now()
        for _ in range(50):
            self.cu('cuGraphLaunch', exe, self.stream)
        self.cu('cuStreamSynchronize', self.stream)
        return begin, now()

    def endless(self):
        while True:
            for _ in range(100):
                self.spin(1000)
            self.cu('cuStreamSynchronize', self.stream)
            print(now(), flush=True)
            time.sleep(0.01)


def runtime(folder):
    path, = Path(folder).glob('libcudart.so.[0-9]*.[0-9]*.[0-9]*')
    return path


def program(what, folder):
    work = Work(runtime(folder))
    if what == 'endless':
        work.endless()
    said = {'spins': work.spins(10), 'memory': work.memory(), 'graph': work.graph()}
    maps = Path('/proc/self/maps').read_text()
    said['cupti'] = sorted(set(re.findall(r'/\S*libcupti\S*', maps)))
    print(json.dumps(said), flush=True)


# --- what is told of it ---

def spins(cases, said, ring):
    found = [op for op in cases.kernels(ring) if op.end - op.start > 10**6]
    cases.verdict(len(found) == len(said), f'{len(found)} kernels of known length ({len(said)})')
    off = [abs((op.end - op.start) / 1e6 / ms - 1) for op, (_, _, ms) in zip(found, said)]
    cases.verdict(off and max(off) <= 0.01, f"their lengths are those of the GPU's events within {100 * max(off, default=1):.2f} % (1 %)")
    cases.verdict(all(asked <= op.start and op.end <= done for op, (asked, done, _) in zip(found, said)), 'each after its launch and before the program saw it end')


def memory(cases, ring):
    done = sorted((op.kind, op.bytes) for op in ring.ops if op.kind in ('copy', 'set'))
    cases.verdict(done == [('copy', MIB // 2), ('copy', MIB), ('set', 64 * MIB)], f'copies and sets: {done}')
    blocks = [(m.freed, m.bytes) for m in sorted(ring.memory) if m.bytes == 64 * MIB]
    cases.verdict(blocks == [(False, 64 * MIB)] * 3 + [(True, 64 * MIB)] * 2, f'blocks of 64 MiB: {blocks}')
    failed = [(call.name, call.result) for call in ring.calls if call.result]
    cases.verdict(('cudaMalloc', OUT_OF_MEMORY) in failed, f'what ran out of memory is told: {failed}')


def graph(cases, said, ring, kind, count):
    begin, end = said
    found = [op for op in ring.ops if op.kind == kind and begin <= op.start and op.end <= end]
    cases.verdict(len(found) == count, f'a graph of 10 kernels, 50 times: {len(found)} of kind {kind} ({count})')
    calls = {call.correlation: call for call in ring.calls}
    cases.verdict(found and all(op.correlation in calls and calls[op.correlation].start <= op.start for op in found), 'each after the call that launched it')


def version(cases, library, folder):
    """Of one toolkit."""
    def run(what, **how):
        lines, killed, ring = cases.injected(library, ['python3', __file__, '--program', what, folder], **how)
        return json.loads(lines[-1]) if lines and not killed else lines, killed, ring
    if tuple(map(int, runtime(folder).name.split('.')[2:4])) < MIN_VERSION:
        path, = Path(folder).glob('libcupti.so.*')
        said, _, ring = run('all', more={'TRACEDB_CUPTI': str(path)})
        cases.verdict(said and [kind for kind, _ in ring.notes] == ['cuda-not-recorded'] and 'too old' in ring.notes[0][1] and not ring.ops, 'it is too old, which is said')
        return
    said, _, ring = run('all')
    cases.verdict(said['cupti'] and all(str(Path(folder).resolve()) in path for path in said['cupti']), f"CUPTI beside the runtime is taken: {said['cupti']}")
    cases.verdict(not ring.notes and not any(ring.lost.values()), f'nothing lost: {ring.made}')
    spins(cases, said['spins'], ring)
    memory(cases, ring)
    graph(cases, said['graph'], ring, 'kernel', 500)
    whole, _, ring = run('all', more={'TRACEDB_CUDA_GRAPHS': 'graph'})
    graph(cases, whole['graph'], ring, 'graph', 50)
    _, killed, ring = run('endless', kill_after=2)
    last = max((op.end for op in ring.ops), default=0)
    cases.verdict(killed - last <= 5 * 10**8, f'killed: all but the last {(killed - last) / 1e6:.0f} ms is there (500), {len(cases.kernels(ring))} kernels')


def main(library, *folders):
    import cuda_cases as cases
    if not os.path.exists('/dev/nvidiactl'):
        print('no GPU on this machine')
        return 77
    for folder in folders:
        print(f'case    {folder}', flush=True)
        version(cases, str(Path(library).resolve()), folder)
    print(f'{cases.wrong} wrong')
    return 1 if cases.wrong else 0


if sys.argv[1] == '--program':
    program(*sys.argv[2:])
else:
    sys.exit(main(*sys.argv[1:]))
