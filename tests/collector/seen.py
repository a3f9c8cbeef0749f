# SPDX-License-Identifier: MIT
"""What record-text prints, with the numbers that processes and threads see: a recording has those of the first pid namespace,
and the tests may run in another one, as in a container."""
import json
import os
import re

FIRST = 0xEFFFFFFC  # PROC_PID_INIT_INO of include/linux/proc_ns.h
NUMBERS = ('tid', 'pid', 'parent', 'waker', 'done_pid')


def numbers_here(records):
    """By the number that is recorded. Of a process the recording has both. Numbers are given in turn (pid_namespaces(7)), and
    nobody else begins here meanwhile: a thread has the one behind that of who began before it."""
    here, last = {}, 0
    for r in sorted((r for r in records if r['kind'] in ('process', 'thread')), key=lambda r: r['time']):
        recorded = r['pid'] if r['kind'] == 'process' else r['tid']
        if recorded not in here:
            last = r['namespace_pid'] if r['kind'] == 'process' else last + 1
            here[recorded] = last
    return here


def lines_seen(text):
    """The lines, of which each is JSON."""
    lines = text.splitlines()
    if os.stat('/proc/self/ns/pid').st_ino == FIRST:
        return lines
    records = [json.loads(line) for line in lines]
    here = numbers_here(records)
    for r in records:
        r.update({key: here[r[key]] for key in NUMBERS if r.get(key) in here})
        if r['kind'] == 'summary':  # of a process: 'PID function'
            pid, rest = re.match(r'(\d*)(.*)', r['key'], re.DOTALL).groups()
            r['key'] = str(here.get(int(pid or 0), pid)) + rest
    return [json.dumps(r) for r in records]
