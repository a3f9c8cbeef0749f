#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a GPU idles for while the program that works on it computes: 'tracedb record' of a program that says itself when it computed and
when it waited. Its GPU is one of a trace that it writes as PyTorch's profiler does.

    idle.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    idle.py --list CASE...      (are these all there are?)
"""
import json
import sys
from pathlib import Path

from recording import check, equal, one, query, record, run_case, skip

MS = 1000000

# A kernel, then computing and waiting by turns, then a kernel. The clock is read without a system call.
PROGRAM = '''
import json, os, select, time
def compute(seconds):
    end = time.time_ns() + int(seconds * 1e9)
    while time.time_ns() < end:
        pass
read, write = os.pipe()
poll = select.poll()
poll.register(read, select.POLLIN)
steps = [('computing', lambda: compute(0.5)), ('waiting', lambda: time.sleep(0.4)), ('computing', lambda: compute(0.2)),
         ('waiting', lambda: poll.poll(300)), ('computing', lambda: compute(0.3))]
base, took = time.time_ns(), []
for what, step in steps:
    start, used = time.time_ns(), time.thread_time_ns()
    step()
    took += [(what, time.time_ns() - start), ('on a CPU', time.thread_time_ns() - used)]
ended = time.time_ns()
def event(cat, name, pid, at, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': pid, 'ts': (at - base) / 1000, 'dur': 1, 'args': args}
events = []
for n, at in enumerate((base, ended)):
    events.append(event('kernel', 'gemm', 0, at, device=0, stream=7, correlation=n))
    events.append(event('cuda_runtime', 'cudaLaunchKernel', os.getpid(), at, correlation=n))
with open('kineto.json', 'w') as f:
    json.dump({'schemaVersion': 1, 'baseTimeNanoseconds': base, 'traceEvents': events}, f)
with open('took.json', 'w') as f:
    json.dump(took, f)
'''


def idle(*options):
    """Nanoseconds of idle time by cause, and those that the program took to compute and to wait, and was on a CPU."""
    done = record(*options, '--force', '-o', 'x.db', '--log', 'kineto.json', '--', 'python3', '-S', '-c', PROGRAM)
    equal(done.returncode, 0, f'record: {done.stderr}')
    took = {}
    for what, ns in json.loads(Path('took.json').read_text(encoding='ascii')):
        took[what] = took.get(what, 0) + ns
    said = {cause: (low, high) for cause, low, high in query(
        'x.db', "SELECT cause, idle_min_ns, idle_max_ns FROM gpu_idle_part WHERE label = '(run)' AND start_ns IS NULL")}
    return said, took


def near(said, want_ns, what):
    """Within 2 %, and what the program itself does between two steps."""
    check(abs(said - want_ns) <= want_ns // 50 + 10 * MS, f'{what}: {said / MS:.1f} ms, the program took {want_ns / MS:.1f}')


def exact(said, *causes):
    ranges = [said.get(cause, (0, 0)) for cause in causes]
    check(all(low == high for low, high in ranges), f'exact: {ranges}')
    return sum(low for low, _ in ranges)


def case_calls():
    """Between its calls, as all in which it could wait were recorded; a CPU may have been busy meanwhile."""
    said, took = idle()
    near(exact(said, 'program computing'), took['computing'], 'between calls')
    near(exact(said, 'lock, queue or pipe'), took['waiting'], 'in calls')


def untold():
    """Slices, but for the last one, whose end the kernel did not tell. Seen with ftrace, too, where a thread of a virtual machine's own
    agent made way: its sched_switch is missing, and when the program came back to the CPU is not known."""
    return one('x.db', "SELECT count(*) FROM sched_slice JOIN string ON string.id = state_id WHERE dur_ns IS NULL AND text <> 'exited'")


def case_slices():
    """When it was on a CPU."""
    for _ in range(8):
        said, took = idle('-e', 'file_io,thread,sync,wait,socket_io,sched')
        if not untold():
            break
    else:
        skip('this kernel tells of no more than a part of the switches')
    near(exact(said, 'program computing', 'waiting for a CPU'), took['computing'], 'on a CPU, or waiting for one')
    # its CPU time is without what the kernel or the host of a virtual machine took meanwhile
    computes, used = exact(said, 'program computing'), took['on a CPU']
    check(computes >= used - used // 50 - 10 * MS, f'on a CPU: {computes / MS:.1f} ms, the program took {used / MS:.1f}')
    near(exact(said, 'lock, queue or pipe'), took['waiting'], 'in calls')


def case_calls_missing():
    """Nobody looked whether it waited."""
    said, took = idle('-e', 'file_io')
    check('program computing' not in said, f'only file I/O was recorded: {said}')
    near(exact(said, 'unexplained', 'other file I/O'), took['computing'] + took['waiting'], 'not explained')


sys.exit(run_case(globals()))
