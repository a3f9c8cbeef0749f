#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scheduling, requests to disks and cold reads against what a program knows of them.

    compare-system.py RECORD_TEXT KNOWN_SYSTEM
"""
import json
import os
import subprocess
import sys
import tempfile

from seen import lines_seen

SLEEPING, BLOCKED = 1, 2  # bits of task_struct.__state
REQ_OP_READ, REQ_OP_WRITE = 0, 1

ATTEMPTS = 12

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def check_sched(truth, records):
    """Every switch is there, the times of a thread follow each other, and they add up to its CPU time."""
    mine = sorted((r for r in records if r['kind'] == 'sched' and r['tid'] == truth['tid']),
                  key=lambda r: r['out'] or 1 << 63)
    inside = [r for r in mine if truth['from'] <= r['out'] <= truth['to']]
    check(len(inside) == truth['switches'],
          f"{truth['switches']} switches, {len(inside)} recorded")
    for before, r in zip(mine, mine[1:]):
        check(r['off'] == before['out'], f'not one after the other: {before} {r}')
        check(r['from_cpu'] == before['cpu'], f'came from another CPU: {before} {r}')
    for r in mine[1:]:
        known = [r[k] for k in ('off', 'wake', 'on', 'out') if r[k]]
        check(known == sorted(known), f'not in order: {r}')
    # running at both ends of the window
    running = sum(r['out'] - max(r['on'] or r['out'], truth['from']) for r in inside)
    running += sum(truth['to'] - r['on'] for r in mine
                   if r['on'] <= truth['to'] and (not r['out'] or r['out'] > truth['to']))
    check(abs(running - truth['cpu_ns']) <= truth['cpu_ns'] // 50 + 500000,
          f"{truth['cpu_ns']} ns of CPU time, {running} ns running")
    sleeps = [r for r in records if r['kind'] == 'call' and r['op'] == 'nanosleep' and
              r['tid'] == truth['tid']]
    check(len(sleeps) == truth['sleeps'], f"{truth['sleeps']} sleeps, {len(sleeps)} recorded")
    for call in sleeps:
        # it may have been preempted on its way to sleep, but its timer woke it, and not too early
        slept = [r for r in mine if r['off_op'] == 'nanosleep' and r['state'] & SLEEPING and
                 call['start'] <= r['off'] <= r['on'] <= call['start'] + call['dur']]
        check(len(slept) == 1 and slept[0]['wake'] - call['start'] >= truth['sleep_ns'],
              f'{call}: {slept}')


def check_block(truth, records):
    for op, name in ((REQ_OP_READ, 'read'), (REQ_OP_WRITE, 'written')):
        mine = [r for r in records if r['kind'] == 'block' and r['tid'] == truth['tid'] and
                r['flags'] & 0xff == op and not r['error'] and
                truth['from'] <= r['issue'] <= truth['to']]
        # the blocks that tell where the file is may be read, too, a page each
        total = sum(r['bytes'] for r in mine if r['bytes'] > 4096)
        check(total == truth['bytes'], f"{truth['bytes']} bytes {name}, {total} recorded")
        for r in mine:
            check((r['insert'] or r['issue']) <= r['issue'] <= r['done'], f'not in order: {r}')
            check(r['device'] >> 20 == truth['dev'] >> 20, f'another disk: {r}')


def check_cold(truth, records):
    files = {r['file'] for r in records if r['kind'] == 'file' and r['path'] == truth['path']}
    reads = sorted((r for r in records if r['kind'] == 'call' and r['op'] == 'pread64' and
                    r['file'] in files), key=lambda r: r['start'])
    first, second = reads[:len(reads) // 2], reads[len(reads) // 2:]
    check(sum(r['cold'] for r in first) == truth['pages'],
          f"{truth['pages']} pages were cold: {[r['cold'] for r in first]}")
    check(not any(r['cold'] for r in second), f"none was cold: {[r['cold'] for r in second]}")


CHECKS = {'sched': check_sched, 'block': check_block, 'cold': check_cold}


def compare(record_text, program):
    """One recording; the names of what could be checked."""
    done = []
    # not in /tmp, which may be in memory
    with tempfile.TemporaryDirectory(dir='/var/tmp') as tmp:
        run = subprocess.run([record_text, '-e', 'file_io,wait,sched,block,pagecache', '--',
                              'sh', '-c', f'{program} {tmp} > {tmp}/truth'],
                             stdout=subprocess.PIPE, text=True, encoding='latin-1', check=False)
        if run.returncode == 77:
            sys.exit(77)
        records = [json.loads(line) for line in lines_seen(run.stdout)]
        with open(tmp + '/truth', encoding='utf-8') as f:
            truths = [json.loads(line) for line in f]
        for truth in truths:
            # a disk that is no block device, as of overlayfs and btrfs
            if truth['what'] == 'block':
                number = f"{truth['dev'] >> 20}:{truth['dev'] & 0xfffff}"
                if not os.path.exists('/sys/dev/block/' + number):
                    continue
            CHECKS[truth['what']](truth, records)
            done.append(truth['what'])
    lost = [r for r in records if r['kind'] == 'loss' and r['lost']]
    check(not lost, f'lost: {lost}')
    return done


def main():
    # There are virtual machines whose kernel keeps their agent out of all tracepoints: when it is switched away
    # from, and what happens in interrupts while it runs, is then seen by nobody, ftrace included. So the
    # recording is repeated until nothing of the kind came between.
    for _ in range(ATTEMPTS):
        errors.clear()
        done = compare(*sys.argv[1:3])
        if not errors:
            break
    print('checked:', *done)
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors) or 'sched' not in done)


main()
