#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time off and on the CPU that was recorded of known-sched against what it knows, and against what the kernel
counts of each of its threads.

    compare-sched.py RECORD_TEXT KNOWN_SCHED
"""
import json
import subprocess
import sys
import tempfile

from seen import lines_seen

SLEEPING = 1  # TASK_INTERRUPTIBLE of include/linux/sched.h

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def about(value, want, part, slack):
    return abs(value - want) <= want * part + slack


def check_counts(truth, left):
    """Each switch is a record: one that the thread wanted, or one that it did not."""
    states = [r['next_state'] for r in left if r['next_state'] is not None]
    wanted = sum(1 for s in states if s)
    check(wanted == truth['voluntary'], f'{wanted} voluntary switches: {truth}')
    taken = len(states) - wanted
    check(taken == truth['involuntary'], f'{taken} involuntary switches: {truth}')


def check_times(truth, records):
    """As in schedstat, which knows of a thread that runs what it knew at the last tick: 10 ms at most. Only where
    stretches are long: at each switch its clock is another one by some 10 us, where the machine is virtual."""
    begin, end = truth['from'], truth['to']

    def inside(a, b):
        return max(0, min(b, end) - max(a, begin)) if a and b else 0

    run = sum(inside(r['on'], r['out']) for r in records)
    delay = sum(inside(r['wake'] if r['state'] else r['off'], r['on']) for r in records)
    # where it is not known when the thread came
    unknown = sum(inside(r['wake'] or r['off'], r['out']) for r in records if not r['on'])
    check(about(run, truth['run'], 0.02, 12e6 + unknown), f'ran for {run} ns: {truth}')
    check(about(delay, truth['delay'], 0.05, 12e6 + unknown), f'waited for {delay} ns: {truth}')


def check_sleeps(truth, records):
    slept = [r for r in records if r['state'] == SLEEPING and r['off_op'] == 'clock_nanosleep' and
             truth['from'] <= r['off'] <= truth['to']]
    check(len(slept) == len(truth['least_ns']), f"{len(slept)} sleeps: {truth}")
    for r, least in zip(slept, truth['least_ns']):
        took = r['wake'] - r['off']
        # the timer is set before the thread leaves, which may take a while when others want the CPU
        check(least - 2e6 < took < least + 2e8, f'slept {took} ns instead of {least}: {r}')


def check_pipe(truth, records):
    waited = [r for r in records if r['state'] == SLEEPING and
              truth['from'] <= r['off'] <= truth['to']]
    check(len(waited) == truth['voluntary'], f'{len(waited)} waits: {truth}')
    for r in waited:
        check(r['off_op'] == 'read', f'waited in {r}')
        check(r['waker'] == truth['other'], f"woken by {r['waker']}: {r} {truth}")


def check_moves(truth, records):
    moved = [r for r in records if r['from_cpu'] != r['cpu'] and
             truth['from'] <= (r['on'] or r['wake']) <= truth['to']]
    check(len(moved) == truth['moves'], f'{len(moved)} moves: {truth}')


CHECKS = {'sleeps': check_sleeps, 'one cpu': check_pipe, 'two cpus': check_pipe,
          'spin': check_times, 'moves': check_moves}


def check_sequence(records):
    """Off, woken, on, out, in this order, and off again when it went out."""
    for r in records:
        known = [r[k] for k in ('off', 'wake', 'on', 'out') if r[k]]
        check(known == sorted(known), f'not in order: {r}')
    for a, b in zip(records, records[1:]):
        check(a['out'] == b['off'], f'a gap: {a} {b}')


def untold(threads):
    """Returns to a CPU that the kernel told nobody of: the thread left it later, but has not come."""
    return sum(1 for records in threads.values() for r in records if r['off'] and r['out'] and not r['on'])


def compare(record_text, program):
    """Prints what differs. Is it nothing, and of how many of the records was the kernel silent?"""
    errors.clear()
    with tempfile.NamedTemporaryFile('r', encoding='utf-8') as truth:
        run = subprocess.run([record_text, '-e', 'sched,file_io,wait,sync', '--', program,
                              truth.name], stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode == 77:
            sys.exit(77)
        truths = [json.loads(line) for line in truth]
    check(run.returncode == 0, f'{program} ended with {run.returncode}')
    threads, made, lost = {}, 0, 0
    for line in lines_seen(run.stdout):
        r = json.loads(line)
        if r['kind'] == 'status' and r['set'] == 'sched' and r['state'] == 'impossible':
            print('not possible here: ' + r['why'])
            sys.exit(77)
        if r['kind'] == 'sched':
            threads.setdefault(r['tid'], []).append(r)
        elif r['kind'] == 'loss' and r['set'] == 'sched':
            made, lost = made + r['generated'], lost + r['lost']
    came = sum(len(t) for t in threads.values())
    check(made == came and not lost, f'{made} generated, {came} came, {lost} lost')
    for records in threads.values():
        records.sort(key=lambda r: r['out'] or sys.maxsize)
        check_sequence(records)
        for r, after in zip(records, records[1:] + [None]):
            r['next_state'] = after and after['state']
    for t in truths:
        records = threads.get(t['tid'], [])
        check_counts(t, [r for r in records if t['from'] <= r['out'] <= t['to']])
        CHECKS[t['what']](t, records)
    print(f'{came} records of {len(threads)} threads, {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    return not errors and len(truths) == 8, untold(threads) / max(came, 1)


def main():
    """The kernel of a busy virtual machine does not run the programs for a wake-up and the switch after it, once in 80,000 here and more
    often elsewhere, ftrace's neither, and counts no miss. Such a run is made again; what is wrong in the recorder differs in all."""
    runs = []
    for _ in range(8):
        same, silent = compare(*sys.argv[1:3])
        if same:
            sys.exit(0)
        runs.append(silent)
    if 0 < min(runs) and max(runs) < 0.01:
        print('this kernel tells of no more than a part of the switches')
        sys.exit(77)
    sys.exit(1)


main()
