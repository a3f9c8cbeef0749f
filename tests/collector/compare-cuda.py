#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What set 'cuda' tells of known-cuda, whose CUDA and NCCL are made up, against what that did.

    compare-cuda.py RECORD_TEXT KNOWN_CUDA FOLDER [-t NS]     FOLDER: of the libraries; -t: launches that take so long are told
"""
import json
import os
import subprocess
import sys
import tempfile

from seen import lines_seen

N = 20000
LONG_NS = 300 * 10**6
RANK_SHIFT = 48

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def run(command, folder):
    with tempfile.NamedTemporaryFile('r', encoding='utf-8') as f:
        done = subprocess.run([*command, f.name, str(N)], stdout=subprocess.PIPE, text=True, check=False, env={**os.environ, 'LD_LIBRARY_PATH': folder})
        if done.returncode == 77:
            sys.exit(77)
        check(done.returncode == 0, f'{command} ended with {done.returncode}')
        return lines_seen(done.stdout), json.loads(f.read())


def main():
    record_text, program, folder, *how = sys.argv[1:]  # how: -t NS, from which on launches are told
    _, alone = run([program], folder)
    lines, truth = run([record_text, '-e', 'cuda', *how, '--', program], folder)
    calls, counts = [], {}
    for r in map(json.loads, lines):
        if r['kind'] == 'status' and r['state'] == 'impossible':
            print('not possible here: ' + r['why'])
            sys.exit(77)
        if r['kind'] == 'loss' and r['set'] == 'cuda':
            check(r['lost'] == 0, f'lost: {r}')
        if r['kind'] == 'call' and r['op'].startswith(('cu', 'nccl')):
            calls.append(r)
        if r['kind'] == 'summary' and r['key'].startswith(f"{truth['pid']} ") and 'low' not in r:
            counts[(r['name'], r['key'].split()[1])] = r['value']
    with_rank = truth['comm'] | (3 + 1) << RANK_SHIFT
    # a thread that loses its CPU in a launch takes long, too
    calls = [c for c in calls if c['op'] != 'cuLaunchKernel' or c['dur'] >= LONG_NS]
    seen = [(c['op'], c['ret'], c.get('asked'), c.get('offset')) for c in calls]
    # float16 has 2 bytes, int64 has 8, what cuMemsetD32Async sets 4
    check(seen == ([('cuLaunchKernel', 0, None, None)] if how else []) + [('cuMemcpyHtoDAsync_v2', 0, 12345, None), ('cuMemsetD32Async', 0, 4000, None),
                   ('cuStreamSynchronize', 0, None, None), ('cuMemAlloc_v2', 0, 1 << 20, None), ('cuMemAlloc_v2', -2, 1 << 41, None),
                   ('ncclCommInitRank', 0, None, None), ('ncclAllReduce', 0, 2000, with_rank), ('ncclReduce', 0, 8000, with_rank),
                   ('ncclAllReduce', 0, 14, truth['other'])], seen)
    for name in ('cuLaunchKernel', 'cuStreamSynchronize'):
        took = [c['dur'] for c in calls if c['op'] == name]
        check(all(LONG_NS <= ns < LONG_NS + 10**10 for ns in took), f'{name} takes 300 ms: {took}')
    # one takes long, two are NCCL's
    check(counts.get(('cuda.launches', 'cuLaunchKernel')) == N + 3, counts)
    check(counts.get(('cuda.launch_time', 'cuLaunchKernel'), 0) >= LONG_NS if how else ('cuda.launch_time', 'cuLaunchKernel') not in counts, counts)
    cost = (truth['loop_ns'] - alone['loop_ns']) / N
    print(f'{len(calls)} calls, {N} launches counted, for {cost:.0f} ns of CPU time each; {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors))


main()
