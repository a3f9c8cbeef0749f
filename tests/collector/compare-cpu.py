#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU time, context switches and peak memory as they were recorded, against what the kernel told the parent of each process,
and each thread of itself.

    compare-cpu.py RECORD_TEXT KNOWN_CPU [OPTION-OF-RECORD-TEXT...]
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from seen import lines_seen

# Between ticks of a slow kernel (100 in a second) nobody knows better where a thread is. Of how long it ran in all the
# scheduler knows more; what it had not added yet when the thread's end was recorded comes later, but only typed tracepoints
# see that, and not each time. Of threads the kernel itself does not add it to their process.
TICK_US = 10000
THREADS = 4
# Ticks of an emulated CPU come late while the machine has others to run, and what was not added then is more.
EMULATED = 'TCG' in Path('/proc/cpuinfo').read_text(encoding='ascii', errors='replace')
MISSING_US = 3 * TICK_US if EMULATED and '-w' in sys.argv else TICK_US
# What a thread says that it used it says before its end, which takes long on such a machine.
SAID_BEFORE_US = 500000 if EMULATED else 50000

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def read(lines):
    """Sums by pid and by tid."""
    processes, threads = {}, {}
    for line in lines:
        r = json.loads(line)
        if r['kind'] != 'usage':
            continue
        check(r['from'] <= r['to'], f'ends before it begins: {r}')
        for sums, key in ((processes, 'pid'), (threads, 'tid')):
            into = sums.setdefault(r[key], dict.fromkeys(('runtime', 'user', 'system', 'voluntary', 'involuntary'), 0) | {'max_rss': 0})
            into['max_rss'] = max(into['max_rss'], r['max_rss'])
            for name in ('runtime', 'user', 'system', 'voluntary', 'involuntary'):
                into[name] += r[name]
    return processes, threads


def check_times(truth, got, more_us=TICK_US):
    """The same sum, divided as the ticks were."""
    total_us = truth['user_us'] + truth['system_us']
    check(-MISSING_US <= got['runtime'] / 1000 - total_us <= more_us, f"{got['runtime'] / 1000} us: {truth}")
    ticks = got['user'] + got['system']
    system_us = got['runtime'] / 1000 * got['system'] / ticks if ticks else 0
    check(abs(system_us - truth['system_us']) <= 2 * max(MISSING_US, more_us), f'{system_us} us in the kernel: {truth}')


def check_process(truth, processes):
    got = processes.get(truth['pid'])
    if not got:
        check(False, f'not recorded: {truth}')
        return
    check_times(truth, got, TICK_US * (THREADS if truth['what'] == 'threads' else 1))
    for name in ('voluntary', 'involuntary'):
        # its last leaving of the CPU comes after its end
        check(abs(got[name] - truth[name]) <= 4, f'{got[name]} {name} switches: {truth}')
    check(got['max_rss'] * 4 == truth['max_rss_kb'], f"{got['max_rss']} pages: {truth}")


def check_plausible(truths):
    """The known program does what it is to do."""
    by_name = {t['what']: t for t in truths}
    check(by_name['computes']['user_us'] > 200000, 'it computes in user space')
    check(by_name['reads']['system_us'] > 200000, 'it reads in the kernel')
    check(by_name['waits']['voluntary'] >= 200, 'it waits 200 times')
    check(by_name['takes memory']['max_rss_kb'] > 65536 and by_name['executes']['max_rss_kb'] > 65536, 'it has 64 MiB')


def main():
    record_text, program, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as tmp:
        run = subprocess.run([record_text, *options, '--', program, tmp + '/truth'], stdout=subprocess.PIPE, text=True,
                             check=False)
        if run.returncode == 77:
            sys.exit(77)
        check(run.returncode == 0, f'{program} ended with {run.returncode}')
        with open(tmp + '/truth', encoding='utf-8') as f:
            truths = [json.loads(line) for line in f]
    processes, threads = read(lines_seen(run.stdout))
    for truth in truths:
        if truth['what'] == 'thread':
            check_times(truth, threads[truth['tid']], SAID_BEFORE_US)
        else:
            check_process(truth, processes)
    check_plausible(truths)
    short_us = sum(processes[t['pid']]['runtime'] for t in truths if t['what'] == 'short') / 1000
    known_us = sum(t['user_us'] + t['system_us'] for t in truths if t['what'] == 'short')
    check('-w' in options or abs(short_us - known_us) <= known_us / 50, f'{short_us} us in short ones, of {known_us}')
    print(f'{len(truths)} processes and threads, {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors) or len(truths) != 6 + 3 + 100)


main()
