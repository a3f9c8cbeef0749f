#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of the C library that wait, recorded and counted, against what known-locks knows of them.

    compare-locks.py RECORD_TEXT KNOWN_LOCKS
"""
import json
import subprocess
import sys
import tempfile

from seen import lines_seen

THRESHOLD_NS = 1000000
QUICK = 500

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def run(record_text, program, quick):
    """What was recorded, and what the program says."""
    with tempfile.NamedTemporaryFile('r', encoding='utf-8') as truth:
        done = subprocess.run([record_text, '-e', 'pthread', '-t', str(THRESHOLD_NS), '--', program,
                               truth.name, str(quick)], stdout=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode == 77:
            sys.exit(77)
        check(done.returncode == 0, f'{program} ended with {done.returncode}')
        records = [json.loads(line) for line in lines_seen(done.stdout)]
        for r in records:
            if r['kind'] == 'status' and r['state'] == 'impossible':
                print('not possible here: ' + r['why'])
                sys.exit(77)
        return records, [json.loads(line) for line in truth]


def check_calls(records, truths):
    """Each one that waited is there once, between the times that were read before and after."""
    calls = [r for r in records if r['kind'] == 'call']
    for c in calls:
        check(c['dur'] >= THRESHOLD_NS, f'shorter than asked for: {c}')
    for t in truths:
        mine = [c for c in calls if c['tid'] == t['tid'] and
                t['from'] <= c['start'] and c['start'] + c['dur'] <= t['to']]
        check(len(mine) == 1, f'{len(mine)} calls: {t}')
        for c in mine:
            for k in ('op', 'ret', 'address'):
                check(c[k] == t[k], f'{k} is {c[k]}: {t}')
            check(c['dur'] >= (t['to'] - t['from']) / 2, f"took only {c['dur']} ns: {t}")


def count(records, pid):
    """Calls by function, in all their buckets, which say how long those took that were recorded; 'FUNCTION at once': those
    that did not wait, to which no time may be added by what records them."""
    calls, times = {}, {}
    for r in records:
        if r['kind'] != 'summary' or not r['key'].startswith(f'{pid} '):
            continue
        function = r['key'].split()[1]
        if r['name'] == 'pthread.calls':
            calls[function] = calls.get(function, 0) + r['value']
            if r['high'] == 1:
                calls[function + ' at once'] = r['value']
            times.setdefault(function, [0, 0])
            times[function][0] += r['value'] * r['low']
            times[function][1] += r['value'] * r['high']
        else:
            low, high = times[function]
            check(low <= r['value'] <= high, f'not what the buckets hold, {low} to {high}: {r}')
    return calls


def check_loss(records):
    came = sum(1 for r in records if r['kind'] == 'call')
    came += len({r['key'] for r in records if r['kind'] == 'summary'})
    made = sum(r['generated'] for r in records if r['kind'] == 'loss' and r['set'] == 'pthread')
    lost = sum(r['lost'] for r in records if r['kind'] == 'loss')
    check(made == came and not lost, f'{made} generated, {came} came, {lost} lost')


def main():
    record_text, program = sys.argv[1:3]
    counts = []
    for quick in (0, QUICK):
        records, truths = run(record_text, program, quick)
        check(len(truths) == 9, f'{len(truths)} lines of truth')
        check_calls(records, truths[:-1])
        check_loss(records)
        counts.append(count(records, truths[-1]['pid']))
        for function, n in truths[-1]['calls'].items():
            found = counts[-1].get(function)
            check(found == n, f'{function} was called {n} times, {found} counted')
    for key in ('pthread_mutex_lock', 'pthread_mutex_lock at once'):
        difference = counts[1].get(key, 0) - counts[0].get(key, 0)
        check(difference == QUICK, f'{QUICK} more calls were made, {difference} more counted: {key}')
    print(f'{sum(counts[1].values())} calls counted, {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors))


main()
