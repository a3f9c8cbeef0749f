#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'record --cuda' on the GPU of this machine: what libtracedb-cuda.so tells of a PyTorch program must be what torch.profiler tells of
the same program by itself, in the order of calls and kernels, at little cost; and a program that profiles itself must not lose by it.

usage: cuda.py TRACEDB LIBRARY FOLDER     LIBRARY: libtracedb-cuda.so; FOLDER: is made, keeps what was recorded
Needs, as python3, one that has PyTorch. A verdict per line; exit 1 if one is WRONG, 77 where there is no GPU."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / 'cuda'))
from ring import Ring  # noqa: E402

WORK = Path(__file__).with_name('cuda_work.py')
wrong = 0


def verdict(holds, text):
    global wrong
    wrong += not holds
    print('ok     ' if holds else 'WRONG  ', text, flush=True)


def work(*args, env=None, front=()):
    """Runs the program; what it says of itself."""
    done = subprocess.run([*front, 'python3', WORK, *args], env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:])
        raise SystemExit(f'{args}: exit {done.returncode}')
    for line in done.stderr.splitlines():
        if 'cupti' in line.lower() or 'unknown buffer' in line or line.startswith('tracedb'):
            print('said   ', line[:300])
    return json.loads(done.stdout.splitlines()[-1])


def injected(library, *args):
    """The program with the library, and its ring, which nobody empties."""
    with tempfile.TemporaryDirectory(prefix='tracedb-cuda-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None) as folder:
        said = work(*args, env={'CUDA_INJECTION64_PATH': library, 'LD_PRELOAD': library, 'TRACEDB_CUDA_DIR': folder})
        rings = [Ring(path) for path in Path(folder).glob('*.ring')]
    for ring in rings:
        for note in ring.notes:
            print('note   ', *note)
    return said, rings


def kineto(path):
    """Work on GPUs in a trace of torch.profiler: kind -> [(name, ns)]."""
    kinds = {'kernel': 'kernel', 'gpu_memcpy': 'copy', 'gpu_memset': 'set'}
    found = {kind: [] for kind in kinds.values()}
    for event in json.loads(path.read_text())['traceEvents']:
        if event.get('cat') in kinds:
            found[kinds[event['cat']]].append((event['name'], event['dur'] * 1000))
    return found


def compare(truth, ring):
    """The same work was done twice, once before each of them."""
    for kind in ('kernel', 'copy', 'set'):
        ours = [op for op in ring.ops if op.kind == kind]
        verdict(len(ours) == len(truth[kind]), f'{kind}: {len(ours)}, torch.profiler {len(truth[kind])}')
        here, there = sum(op.end - op.start for op in ours), sum(ns for _, ns in truth[kind])
        if kind == 'kernel':
            verdict(abs(here - there) <= 0.05 * there, f'kernels take {here / 1e6:.3f} ms, torch.profiler {there / 1e6:.3f} ms (two runs; 5 %)')
    ours, theirs = (Counter(names) for names in ([op.what for op in ring.ops if op.kind == 'kernel'], [name for name, _ in truth['kernel']]))
    verdict(ours == theirs, f'names of kernels: {len(ours)}, torch.profiler {len(theirs)}')
    for name in list((ours - theirs) + (theirs - ours))[:6]:
        print(f'        {ours[name]} and {theirs[name]} of {name[:150]}')


def order(ring):
    calls = {}
    for call in ring.calls:
        calls.setdefault(call.correlation, call)
    early = [calls[op.correlation].start - op.start for op in ring.ops
             if op.kind == 'kernel' and op.correlation in calls and op.start < calls[op.correlation].start]
    known = sum(op.kind == 'kernel' and op.correlation in calls for op in ring.ops)
    verdict(known > 0 and not early, f'{known} kernels with their calls, {len(early)} begin before (by {max(early, default=0)} ns at most)')
    twice = Counter(call.correlation for call in ring.calls)
    print('facts   calls:', dict(Counter(call.name for call in ring.calls).most_common(12)), 'short:', ring.short_calls,
          'correlations told twice:', sum(n > 1 for n in twice.values()))


def recorded(tracedb, folder, steps):
    db = folder / 'recorded.db'
    done = subprocess.run([tracedb, 'record', '--cuda', '-o', db, '--force', '--', 'python3', WORK, 'plain', steps],
                          capture_output=True, text=True, check=False)
    print(''.join(f'said    {line}\n' for line in done.stderr.splitlines()), end='')
    if done.returncode or not db.exists():
        print('facts   tracedb record does not work here')
        return None
    return dict(sqlite3.connect(db).execute('SELECT k.text, count(*) FROM gpu_op JOIN string AS k ON k.id = kind_id GROUP BY 1'))


def main(tracedb, library, folder):
    folder, library = Path(folder), str(Path(library).resolve())
    if not shutil.which('nvidia-smi') or subprocess.run(['nvidia-smi', '-L'], capture_output=True, check=False).returncode:
        print('no GPU on this machine')
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    steps = '200'
    print('facts  ', work('version'))
    alone = work('plain', steps)
    work('profiled', steps, str(folder / 'alone.json'))
    truth = kineto(folder / 'alone.json')
    said, rings = injected(library, 'plain', steps)
    verdict(len(rings) == 1, f'{len(rings)} process with a ring')
    if rings:
        print('facts   made', rings[0].made, 'lost', rings[0].lost, 'within', said)
        verdict(not any(rings[0].lost.values()), 'nothing lost')
        compare(truth, rings[0])
        verdict(all(said['begin'] <= op.start and op.end <= said['end'] for op in rings[0].ops if op.kind == 'kernel'),
                'all kernels lie between the begin and the end that the program says, on CLOCK_BOOTTIME')
        order(rings[0])
    times = [(work('plain', steps)['wall_ms'], injected(library, 'plain', steps)[0]['wall_ms']) for _ in range(3)]
    print('facts   ms without and with:', alone['wall_ms'], times)
    _, rings = injected(library, 'profiled', steps, str(folder / 'both.json'))
    both = kineto(folder / 'both.json')
    verdict({kind: len(ops) for kind, ops in both.items()} == {kind: len(ops) for kind, ops in truth.items()},
            f'torch.profiler under --cuda sees all: {({kind: len(ops) for kind, ops in both.items()})}')
    verdict(any(kind == 'cuda-stopped' for ring in rings for kind, _ in ring.notes), 'and the library said that it stopped')
    counts = recorded(tracedb, folder, steps)
    if counts is not None:
        verdict(all(counts.get(kind, 0) == len(ops) for kind, ops in truth.items()), f'tracedb record --cuda: {counts}')
    print(f'{wrong} wrong')
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
