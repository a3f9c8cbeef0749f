#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was counted of malloc() and its like against what known-malloc asked for.

    compare-malloc.py RECORD_TEXT KNOWN_MALLOC
"""
import json
import subprocess
import sys
import tempfile

from seen import lines_seen

N = 300

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def run(record_text, program, n):
    """Calls, bytes and buckets by function, and what the program says."""
    with tempfile.NamedTemporaryFile('r', encoding='utf-8') as f:
        done = subprocess.run([record_text, '-e', 'malloc', '--', program, f.name, str(n)],
                              stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 77:
            sys.exit(77)
        check(done.returncode == 0, f'{program} ended with {done.returncode}')
        truth = json.loads(f.read())
    pid = truth.pop('pid')
    counts, keys = {}, set()
    for r in map(json.loads, lines_seen(done.stdout)):
        if r['kind'] == 'status' and r['state'] == 'impossible':
            print('not possible here: ' + r['why'])
            sys.exit(77)
        if r['kind'] == 'loss' and r['set'] == 'malloc':
            check(r['lost'] == 0, f'lost: {r}')
        if r['kind'] != 'summary':
            continue
        check((r['name'], r['key'], r.get('low')) not in keys, f'a second one: {r}')
        keys.add((r['name'], r['key'], r.get('low')))
        if r['key'].startswith(f'{pid} '):
            add(counts, r['key'].split()[1], r)
    return counts, truth


def add(counts, function, r):
    function = {'memalign': 'aligned', 'aligned_alloc': 'aligned'}.get(function, function)
    c = counts.setdefault(function, {'calls': 0, 'bytes': 0})
    if r['name'] == 'malloc.bytes':
        c['bytes'] += r['value']
        return
    c['calls'] += r['value']
    if 'low' in r:
        c[(r['low'], r['high'])] = c.get((r['low'], r['high']), 0) + r['value']


def main():
    record_text, program = sys.argv[1:3]
    before, _ = run(record_text, program, 0)
    after, truth = run(record_text, program, N)
    nothing = {'calls': 0, 'bytes': 0}
    for function, (calls, size) in truth.items():
        found = {k: after.get(function, nothing).get(k, 0) - before.get(function, nothing).get(k, 0)
                 for k in ('calls', 'bytes')}
        check(found == {'calls': calls, 'bytes': size},
              f'{function}: {calls} calls for {size} bytes were made, {found} counted')
    # of one size each: where are 300, 5000 and 4096 in powers of two?
    for function, bucket in (('calloc', (256, 512)), ('realloc', (4096, 8192)),
                             ('posix_memalign', (4096, 8192))):
        found = after[function].get(bucket, 0) - before.get(function, nothing).get(bucket, 0)
        check(found == N, f'{function}: {N} calls of {bucket}, {found} counted')
    print(f"{sum(c['calls'] for c in after.values())} calls counted, {len(errors)} differences")
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors))


main()
