# SPDX-License-Identifier: MIT
"""How the speed of an import grows with the CPUs that it may use: bpftrace text, strace, Kineto JSON and a recording's spool, each
with 1, 2, 4, ... CPUs (taskset), in turn; what does not get faster is named by Amdahl's law: seconds(n) = serial + parallel / n."""
import ctypes
import os
import statistics
from pathlib import Path

import formats
from figures import DATA, Measured, record, remove, spread, warm
from imports import generate

CPUS = (1, 2, 4, 8, 16)
KINETO_EVENTS_A_ROW = 4     # an event takes as long as some rows of text
FRAMES_MARK = b'\x5b\x2a\x4d\x18\x10\0\0\0frames alone 1\n\0' # TD_FRAMES_MARK of common/frames.h, with its zero
FRAME_BYTES = 1 << 20      # about what the recorder has of calls when it packs them
ZSTD_CHECKSUM_FLAG = 201    # ZSTD_c_checksumFlag of zstd.h
TOPOLOGY = '/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list'


def in_order():
    """The CPUs that we may use: first one of every core, then the others of the same cores."""
    firsts, others, seen = [], [], set()
    for cpu in sorted(os.sched_getaffinity(0)):
        path = Path(TOPOLOGY.format(cpu))
        core = path.read_text(encoding='ascii') if path.exists() else cpu
        (others if core in seen else firsts).append(cpu)
        seen.add(core)
    return firsts + others


def pack(plain, packed):
    """As the recorder packs its spool: frames of zstd that stand alone, with checksums. By the library that tracedb itself needs."""
    zstd = ctypes.CDLL('libzstd.so.1')
    zstd.ZSTD_createCCtx.restype = ctypes.c_void_p
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress2.restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createCCtx())
    zstd.ZSTD_CCtx_setParameter(context, ZSTD_CHECKSUM_FLAG, 1)
    size = zstd.ZSTD_compressBound(ctypes.c_size_t(FRAME_BYTES))
    frame = ctypes.create_string_buffer(size)
    with open(plain, 'rb') as source, open(packed, 'wb') as to:
        to.write(FRAMES_MARK)
        while piece := source.read(FRAME_BYTES):
            n = zstd.ZSTD_compress2(context, frame, ctypes.c_size_t(size), piece, ctypes.c_size_t(len(piece)))
            to.write(frame.raw[:n])
    zstd.ZSTD_freeCCtx(context)


def made(name, lines):
    """Made once and kept: it is always the same."""
    folder = DATA / f'cpus-{lines}'
    kept = folder / formats.FORMATS[name][1]
    if not kept.exists():
        print(f'generating {lines} of {name}', flush=True)
        unfinished = folder / 'part'
        unfinished.mkdir(parents=True, exist_ok=True)
        path = formats.make(name, lines, unfinished)
        if name == 'record':
            pack(path, path.with_suffix('.packed'))
            path.with_suffix('.packed').replace(path)
        path.rename(kept)
        unfinished.rmdir()
    return kept


def inputs(programs, rows):
    """Name, how many of what, and the path."""
    folder, _ = generate(programs, rows)
    yield 'bpftrace', rows, folder / 'vfs_rw.out'
    yield 'strace', rows, made('strace', rows)
    yield 'kineto', rows // KINETO_EVENTS_A_ROW, made('kineto', rows // KINETO_EVENTS_A_ROW)
    yield 'record', rows, made('record', rows)


def amdahl(seconds):
    """Serial and parallel part of {CPUs: seconds}, by least squares of seconds = serial + parallel / CPUs; neither is below 0."""
    points = [(1 / n, s) for n, s in seconds.items()]
    mean_x, mean_y = (statistics.mean(values) for values in zip(*points))
    spread_x = sum((x - mean_x) ** 2 for x, _ in points)
    parallel = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread_x if spread_x else 0
    parallel = min(max(parallel, 0), mean_y / mean_x)
    return mean_y - parallel * mean_x, parallel


def bench_cpus(programs, rows, rounds):
    order = in_order()
    counts = [n for n in CPUS if n <= len(order)]
    db = DATA / 'cpus.db'
    print(f'\nimport by number of CPUs (of {len(order)}), {rounds} rounds in turn: median (min .. max)')
    for name, events, path in inputs(programs, rows):
        warm(path)
        runs = {n: [] for n in counts}
        for _ in range(rounds):
            for n in counts:
                remove(db)
                runs[n].append(Measured(['taskset', '-c', ','.join(map(str, order[:n])), programs / 'cli/tracedb', 'import',
                                         '--quiet', '-o', db, path]))
        remove(db)
        medians = {n: statistics.median(run.wall_s for run in runs[n]) for n in counts}
        for n in counts:
            print(f'  {name:<9} {n:>2} CPU{" s"[n > 1]} {spread([run.wall_s for run in runs[n]])}'
                  f'  cpu {statistics.median(run.cpu_s for run in runs[n]):6.2f} s'
                  f'  {events / medians[n] / 1e6:6.2f} million/s  {medians[counts[0]] / medians[n]:5.2f} times')
            record(f'cpus, {name}, {n}', events, events / medians[n] / 1e6, 0, 'million/s')
        serial, parallel = amdahl(medians)
        print(f'  {name:<9} serial {serial:.3f} s, {100 * serial / (serial + parallel):.0f} % of what one CPU takes; '
              f'farthest from that law {max(abs(s - serial - parallel / n) / s for n, s in medians.items()) * 100:.0f} %', flush=True)
        record(f'cpus, {name}, serial share', events, 100 * serial / (serial + parallel), 0, '%')
