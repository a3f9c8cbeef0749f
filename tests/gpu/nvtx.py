#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVTX ranges of a PyTorch program on the GPU of this machine, as libtracedb-cuda.so tells of them: as many as the program has, around the
times that it took itself, and each launch of a kernel in its range.

usage: nvtx.py LIBRARY     libtracedb-cuda.so
       nvtx.py work STEPS  the program
Needs, as python3, one that has PyTorch. A verdict per line; exit 1 if one is WRONG, 77 where there is no GPU."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / 'cuda'))
from ring import Ring  # noqa: E402

STEPS, MANY = 200, 100000
wrong = 0


def verdict(holds, text):
    global wrong
    wrong += not holds
    print('ok     ' if holds else 'WRONG  ', text, flush=True)


# --- the program ---

def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def step(torch, a):
    """Times before and after the begin, and before and after the end, of the range."""
    times = [now()]
    torch.cuda.nvtx.range_push('step')
    times.append(now())
    with torch.cuda.nvtx.range('inner'):
        a = torch.relu(a @ a)
    torch.cuda.nvtx.mark('half')
    a.sum().item()
    times.append(now())
    torch.cuda.nvtx.range_pop()
    return times + [now()]


def work(steps):
    import torch
    a = torch.randn(256, 256, device='cuda', requires_grad=True)
    torch.cuda.synchronize()
    handle = torch.cuda.nvtx.range_start('whole')
    said = {'torch': torch.__version__, 'steps': [step(torch, a.detach()) for _ in range(steps)]}
    torch.cuda.nvtx.range_end(handle)
    with torch.autograd.profiler.emit_nvtx():
        (a @ a).sum().backward()
    begin = now()
    for _ in range(MANY):
        torch.cuda.nvtx.range_push('many')
        torch.cuda.nvtx.range_pop()
    said['range_ns'] = round((now() - begin) / MANY)
    torch.cuda.nvtx.range_push('left open')
    print(json.dumps(said), flush=True)


# --- the check ---

def run(env):
    done = subprocess.run(['python3', __file__, 'work', str(STEPS)], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def check_steps(said, ring):
    ranges = [(s.time, ring.ends.get(s.range, (0, 0))[1]) for s in ring.said if s.text == 'step' and s.kind == 'push']
    verdict(len(ranges) == STEPS, f'{len(ranges)} of {STEPS} steps')
    off = [max(before - begin, begin - after, until - end, end - last)
           for (begin, end), (before, after, until, last) in zip(ranges, said['steps'])]
    verdict(max(off) <= 0, f'each begins and ends between the times that the program took around it (beyond them by {max(off)} ns at most)')
    count = {text: sum(s.text == text for s in ring.said) for text in ('inner', 'half', 'whole', 'left open')}
    verdict(count == {'inner': STEPS, 'half': STEPS, 'whole': 1, 'left open': 1}, f'others: {count}')
    verdict([s.range in ring.ends for s in ring.said if s.text in ('whole', 'left open')] == [True, False], 'what is left open has no end')
    inner = [(s.time, ring.ends[s.range][1]) for s in ring.said if s.text == 'inner']
    launches = [call.start for call in ring.calls if 'Launch' in call.name]
    verdict(all(any(begin <= start <= end for start in launches) for begin, end in inner), f'a launch in each inner range, of {len(launches)}')


def main(library):
    if not shutil.which('nvidia-smi') or subprocess.run(['nvidia-smi', '-L'], capture_output=True, check=False).returncode:
        print('no GPU on this machine')
        return 77
    library = str(Path(library).resolve())
    alone = run({})
    with tempfile.TemporaryDirectory(prefix='tracedb-nvtx-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None) as folder:
        said = run({'CUDA_INJECTION64_PATH': library, 'NVTX_INJECTION64_PATH': library, 'LD_PRELOAD': library, 'TRACEDB_CUDA_DIR': folder})
        rings = [Ring(path) for path in Path(folder).glob('*.ring')]
    verdict(len(rings) == 1, f'{len(rings)} process with a ring')
    for ring in rings:
        for note in ring.notes:
            print('note   ', *note)
        check_steps(said, ring)
        emitted = {s.text.split(',')[0] for s in ring.said if s.text.startswith('aten::')}
        verdict({'aten::matmul', 'aten::sum'} <= emitted, f'ranges of emit_nvtx: {sorted(emitted)[:8]}')
        print('facts  ', said['torch'], 'made', ring.made['nvtx'], 'lost', ring.lost['nvtx'])
    print('facts   ns a range from Python: without', alone['range_ns'], 'with', said['range_ns'])
    print(f'{wrong} wrong')
    return 1 if wrong else 0


if sys.argv[1] == 'work':
    work(int(sys.argv[2]))
else:
    sys.exit(main(sys.argv[1]))
