#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'record --cuda' and 'record -e cuda' on the GPU of this machine, case by case: kernels of known length, a job that is killed or that quits,
memory and what runs out of it, CUDA graphs, a profiler that starts halfway, uprobes, where CUPTI is found.

usage: cuda_cases.py TRACEDB LIBRARY FOLDER     as cuda.py, whose verdicts these are beside"""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / 'cuda'))
from ring import Ring  # noqa: E402

WORK = Path(__file__).with_name('cuda_work.py')
OUT_OF_MEMORY = 2
wrong = 0


def verdict(holds, text):
    global wrong
    wrong += not holds
    print('ok     ' if holds else 'WRONG  ', text, flush=True)


def injected(library, command, more=None, kill_after=None):
    """What the command printed, when it was killed, and its rings, which nobody empties."""
    with tempfile.TemporaryDirectory(prefix='tracedb-cuda-', dir='/dev/shm') as folder:
        env = {**os.environ, 'CUDA_INJECTION64_PATH': library, 'LD_PRELOAD': library, 'TRACEDB_CUDA_DIR': folder, **(more or {})}
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            killed = None
            if kill_after:
                process.stdout.readline()
                time.sleep(kill_after)
                killed = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
                process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().splitlines()
        rings = [Ring(path) for path in Path(folder).glob('*.ring')]
    for ring in rings:
        for note in ring.notes:
            print('note   ', *note)
    return lines, killed, rings[0] if rings else None


def python(library, *args, **how):
    lines, killed, ring = injected(library, ['python3', WORK, *args], **how)
    return (json.loads(lines[-1]) if lines and not killed else lines), killed, ring


def kernels(ring):
    return [op for op in ring.ops if op.kind == 'kernel']


def spins(library):
    said, _, ring = python(library, 'spins', '20')
    found = [op for op in kernels(ring) if 'spin' in op.what][1:]
    verdict(len(found) == len(said['spins']), f'{len(found)} kernels of known length')
    off, late = [], []
    for op, (asked, done, ms) in zip(found, said['spins']):
        off.append(abs((op.end - op.start) / 1e6 / ms - 1))
        late.append(op.start - asked)
        if op.start < asked or op.end > done:
            verdict(False, f'{op} lies outside of {asked} .. {done}')
    verdict(max(off) <= 0.01, f'their lengths are those of the GPU\'s events within {100 * max(off):.2f} % (1 %)')
    print(f'facts   begin after the call that asked: {min(late) / 1000:.1f} .. {max(late) / 1000:.1f} us')
    gaps = [b.start - a.end for a, b in zip(found, found[1:])]
    verdict(min(gaps) >= 10**7, f'gaps of 10 ms and what the program needs: {min(gaps) / 1e6:.2f} .. {max(gaps) / 1e6:.2f} ms')


def ends(library):
    _, killed, ring = python(library, 'endless', kill_after=3)
    last = max(op.end for op in ring.ops)
    verdict(killed - last <= 5 * 10**8, f'killed: all but the last {(killed - last) / 1e6:.0f} ms is there (500), {len(kernels(ring))} kernels, lost {ring.lost}')
    _, _, ring = python(library, 'quits', '5000')
    print(f'facts   os._exit() at once after 5000 kernels: {len(kernels(ring))} are there')


def mps(library):
    """Two programs at once as clients of one server of MPS: each is told of as if it were alone."""
    if not shutil.which('nvidia-cuda-mps-control'):
        print('facts   no MPS on this machine')
        return
    with tempfile.TemporaryDirectory() as pipes:
        env = {'CUDA_MPS_PIPE_DIRECTORY': pipes, 'CUDA_MPS_LOG_DIRECTORY': pipes}
        subprocess.run(['nvidia-cuda-mps-control', '-d'], env={**os.environ, **env}, check=True)
        try:
            with ThreadPoolExecutor(2) as both:
                taken = list(both.map(lambda n: python(library, 'spins', n, more=env), ('20', '30')))
            served = subprocess.run(['nvidia-cuda-mps-control'], env={**os.environ, **env}, input='get_server_list\n', capture_output=True, text=True, check=False).stdout
        finally:
            subprocess.run(['nvidia-cuda-mps-control'], env={**os.environ, **env}, input='quit\n', text=True, check=False)
    verdict(served.split(), f'MPS: a server, {served.split()}')
    for said, _, ring in taken:
        found = [op for op in kernels(ring) if 'spin' in op.what][1:]
        off = [abs((op.end - op.start) / 1e6 / ms - 1) for op, (_, _, ms) in zip(found, said['spins'])]
        verdict(len(found) == len(said['spins']) and max(off) <= 0.01 and not any(ring.lost.values()),
                f"a client's {len(found)} kernels ({len(said['spins'])}), as long as the GPU's events say within {100 * max(off, default=1):.2f} % (1 %)")


def memory(library):
    said, _, ring = python(library, 'memory')
    total = most = 0
    for m in sorted(ring.memory):
        total += (0 if m.kind != 3 else -m.bytes if m.freed else m.bytes)
        most = max(most, total)
    verdict(abs(most - said['most']) <= 64 << 20, f"at most {most} bytes allocated, PyTorch's allocator {said['most']} (it does not know of CUDA's own)")
    verdict(abs(total - said['left']) <= 64 << 20, f"{total} in the end, {said['left']}")
    failed = [(call.name, call.result) for call in ring.calls if call.result]
    verdict(any(result == OUT_OF_MEMORY for _, result in failed), f'what ran out of memory is told: {Counter(failed)}')


def graphs(library):
    for how, kind, count in (('node', 'kernel', 500), ('graph', 'graph', 50)):
        said, _, ring = python(library, 'graph', '50', more={'TRACEDB_CUDA_GRAPHS': how})
        found = [op for op in ring.ops if op.kind == kind and op.start >= said['begin'] and op.end <= said['end']]
        verdict(len(found) == count, f'graph of 10 kernels, 50 times, {how}: {len(found)} of kind {kind} ({count})')
        calls = {call.correlation: call for call in ring.calls}
        early = [op for op in found if op.correlation in calls and op.start < calls[op.correlation].start]
        verdict(found and not early and all(op.correlation in calls for op in found), 'each after the call that launched it')


def halfway(library, folder):
    said, _, ring = python(library, 'halfway', '50', str(folder / 'halfway.json'))
    events = json.loads((folder / 'halfway.json').read_text())['traceEvents']
    theirs = sum(e.get('cat') == 'kernel' for e in events)
    before = [op for op in kernels(ring) if op.end <= said['before']['end']]
    verdict(len(before) == theirs, f"a profiler halfway: it sees {theirs} kernels, we the {len(before)} of before")
    verdict(len(ring.unseen) == 1 and said['before']['end'] <= ring.unseen[0] <= said['profiled']['begin'], 'from then on nothing is covered, which is said')
    verdict(not [op for op in ring.ops if op.end > said['profiled']['end']], 'and nothing is told of what comes after')


def recorded(tracedb, folder, *args, sets='file_io,cuda'):
    db = folder / 'uprobes.db'
    done = subprocess.run([tracedb, 'record', '-e', sets, '-o', db, '--force', '--', 'python3', WORK, *args], capture_output=True, text=True, check=False)
    print(''.join(f'said    {line}\n' for line in done.stderr.splitlines()), end='')
    return (json.loads(done.stdout.splitlines()[-1]), sqlite3.connect(db)) if done.returncode == 0 and db.exists() else (None, None)


def uprobes(tracedb, folder):
    """cuda_work.steps(): 2 copies, 9 products, sums and so on a step."""
    said, db = recorded(tracedb, folder, 'plain', '200')
    if not db:
        print('facts   tracedb record does not work here')
        return
    calls = dict(db.execute("SELECT o.name, count(*) FROM call AS c JOIN op AS o ON o.id = c.op_id WHERE o.layer = 'cuda' GROUP BY 1"))
    counted = dict(db.execute("SELECT substr(key, instr(key, ' ') + 1), value FROM summary WHERE name = 'cuda.launches' AND low IS NULL"))
    copies = sum(n for name, n in calls.items() if name.startswith('cuMemcpy'))
    verdict(copies == 400, f'uprobes: {copies} copies (400), {calls}')
    verdict(sum(counted.values()) >= 6000, f'launches counted: {counted} (6,800 kernels)')
    alone = json.loads(subprocess.run(['python3', WORK, 'launches', '100000'], capture_output=True, text=True, check=True).stdout.splitlines()[-1])['wall_ms']
    said, _ = recorded(tracedb, folder, 'launches', '100000', sets='cuda')
    cost = (said['wall_ms'] - alone) * 10
    verdict(cost <= 2000, f'100,000 launches take {alone:.0f} ms, hooked {said["wall_ms"]:.0f} ms: {cost:.0f} ns each')


WILD = """
#include <unistd.h>
__global__ void f(int *p) { *p = 1; }
int main() { sleep(2); f<<<1, 1>>>((int *)16); int e = cudaDeviceSynchronize(); sleep(3); return e == cudaErrorIllegalAddress ? 0 : 1; }
"""


def xids():
    """Numbers of the driver's errors in the kernel's log."""
    log = subprocess.run(['dmesg'], capture_output=True, text=True, check=False).stdout
    return [int(number) for number in re.findall(r'NVRM: Xid \([^)]*\): (\d+)', log)]


def errors(tracedb, folder):
    """A kernel that writes where there is nothing: what 'record --gpu' tells of it is what the kernel's log has."""
    source, program, db = folder / 'wild.cu', folder / 'wild.out', folder / 'wild.db'
    source.write_text(WILD)
    if subprocess.run(['nvcc', '-o', program, source], check=False).returncode:
        print('facts   no nvcc')
        return
    before = len(xids())
    done = subprocess.run([tracedb, 'record', '--gpu', '--cuda', '-e', 'thread', '-o', db, '--force', '--', program], check=False)
    told = [int(value) for value, in sqlite3.connect(db).execute("SELECT s.value FROM sample AS s JOIN track AS t ON t.id = s.track_id WHERE t.name = 'gpu.xid'")]
    verdict(done.returncode == 0, 'a kernel that writes at address 16 fails as it does without a recorder')
    verdict(sorted(told) == sorted(xids()[before:]), f'and its Xid is told: {told}, the kernel\'s log {xids()[before:]}')
    said = subprocess.run([tracedb, 'analyze', db], capture_output=True, text=True, check=False).stdout
    verdict(not told or 'Xid' in said, "'tracedb analyze' says so")


OTHERS = {
    'CuPy': "import cupy; a = cupy.arange(10); print(int((a + 1).sum()))",
    'JAX': "import jax.numpy as jnp; print(int((jnp.arange(10) + 1).sum()))",
}


def others(library, folder):
    """Programs that are not PyTorch's: CUPTI is found for them, too."""
    for name in ('CuPy', 'JAX'):
        _, _, ring = injected(library, ['python3', '-c', OTHERS[name]])
        verdict(ring and kernels(ring), f'{name}: {len(kernels(ring)) if ring else None} kernels')
    source, program = folder / 'a.cu', folder / 'a.out'
    source.write_text('__global__ void f(int *p) { *p = 1; }\nint main() { int *p; cudaMalloc(&p, 4); f<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n')
    if subprocess.run(['nvcc', '-o', program, source], check=False).returncode == 0:
        _, _, ring = injected(library, [program])
        verdict(ring and len(kernels(ring)) == 1, 'a program of nvcc, with the runtime built in')


JAX_PROFILED = """
import glob, gzip, json, sys
import jax, jax.numpy as jnp
f = jax.jit(lambda a: (a @ a).sum())
a = jnp.ones((256, 256))
f(a).block_until_ready()
jax.profiler.start_trace(sys.argv[1])
for _ in range(100):
    f(a).block_until_ready()
jax.profiler.stop_trace()
path, = glob.glob(sys.argv[1] + '/plugins/profile/*/*.trace.json.gz')
events = json.load(gzip.open(path))['traceEvents']
gpus = {e['pid'] for e in events if e.get('name') == 'process_name' and 'GPU' in e['args']['name']}
print(json.dumps({'events': sum(e.get('ph') == 'X' and e['pid'] in gpus for e in events)}))
"""


def jax(library, folder):
    """Its profiler looks CUPTI's functions up by itself, so that it is not seen to start."""
    counts = []
    for how in ('alone', 'with'):
        with tempfile.TemporaryDirectory(dir=folder) as traces:
            command = ['python3', '-c', JAX_PROFILED, traces]
            if how == 'alone':
                lines, ring = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines(), None
            else:
                lines, _, ring = injected(library, command)
            counts.append(json.loads(lines[-1])['events'] if lines else None)
    print(f'facts   the events of JAX\'s profiler: {counts[0]} alone, {counts[1]} with the library, which has {len(kernels(ring))} kernels')


def main(tracedb, library, folder):
    folder, library = Path(folder), str(Path(library).resolve())
    if not os.path.exists('/dev/nvidiactl'):
        print('no GPU on this machine')
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in (('spins', lambda: spins(library)), ('ends', lambda: ends(library)), ('mps', lambda: mps(library)), ('memory', lambda: memory(library)), ('graphs', lambda: graphs(library)),
                       ('halfway', lambda: halfway(library, folder)), ('uprobes', lambda: uprobes(tracedb, folder)), ('others', lambda: others(library, folder)),
                       ('jax', lambda: jax(library, folder)), ('errors', lambda: errors(tracedb, folder))):
        print(f'case    {name}', flush=True)
        case()
    print(f'{wrong} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
