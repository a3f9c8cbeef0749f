#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes that become those that 'tracedb record --comm' or '--cgroup' records, when it records already.

    joining.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    joining.py --list CASE...      (are these all there are?)
"""
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from recording import check, equal, one, run_case, skip, start, wait_for

# Its two threads open a file again and again until they are told to go on, and then another one five times each.
WORKER = '''
import ctypes, os, sys, threading, time
def look(name):
    os.close(os.open(name, os.O_RDONLY))
def wait_for(name, at):
    while not os.path.exists(name):
        look(at)
        time.sleep(0.02)
def other():
    wait_for('go', 'other-before')
    for _ in range(5):
        look('other-after')
thread = threading.Thread(target=other)
thread.start()
wait_for('join', 'before')
if len(sys.argv) > 1:
    ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)  # PR_SET_NAME
open('ready', 'w').close()
wait_for('go', 'after-joining')
thread.join()
for _ in range(5):
    look('after')
os.system('cat child')
open('done', 'w').close()
wait_for('stop', 'after-joining')
'''
FILES = ('before', 'other-before', 'after', 'other-after', 'after-joining', 'child')


def opens(name):
    return one('x.db', "SELECT count(*) FROM calls WHERE op = 'openat' AND file = ?", f'{os.getcwd()}/{name}')


def watch_one_join(options, arguments, join):
    """join(worker) makes it one that is recorded, unless it has done so by itself."""
    for name in FILES:
        Path(name).touch()
    with subprocess.Popen([sys.executable, '-c', WORKER, *arguments]) as worker, \
            subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do read line <before; sleep 0.02; done']):
        recorder = start('-o', 'x.db', *options)
        for line in recorder.stderr:
            if 'recording to' in line:
                break
        Path('join').touch()
        wait_for(lambda: os.path.exists('ready'), 'its readiness')
        join(worker)
        Path('go').touch()
        wait_for(lambda: os.path.exists('done'), 'what it does afterwards')
        recorder.send_signal(signal.SIGINT)
        equal(recorder.communicate(timeout=60) and recorder.returncode, 0, 'status')
        Path('stop').touch()
    equal(opens('after'), 5, 'what it does afterwards')
    equal(opens('other-after'), 5, 'what its other thread does')
    equal(opens('child'), 1, 'what its child does')
    equal(opens('before'), 0, 'what it did before, and another one does')
    equal(one('x.db', 'SELECT count(*) FROM process WHERE coalesce(namespace_pid, pid) = ? AND observed_ns > 0', worker.pid), 1, 'what it used')


def case_renamed():
    watch_one_join(['--comm', 'td-renamed'], ['td-renamed'], lambda worker: None)
    equal(one('x.db', "SELECT count(*) FROM process WHERE name = 'td-renamed'"), 1, 'its name')


def case_moved():
    roots = [line.split()[4] for line in Path('/proc/self/mountinfo').read_text(encoding='utf-8').splitlines()
             if ' - cgroup2 ' in line]
    try:
        group = Path(tempfile.mkdtemp(prefix='tracedb-test-', dir=roots[0]))
        inner = group / 'inner'
        inner.mkdir()
    except (IndexError, OSError):
        skip('no control group can be made here')

    def join(worker):
        (inner / 'cgroup.procs').write_text(str(worker.pid), encoding='ascii')

    try:
        watch_one_join(['--cgroup', group.name], [], join)
        equal(one('x.db', "SELECT count(*) FROM process WHERE cgroup = ?", f'/{group.name}/inner') > 0, True, 'its control group')
    finally:
        wait_for(lambda: not (inner / 'cgroup.procs').read_text(encoding='ascii'), 'the end of all in it')
        inner.rmdir()
        group.rmdir()


sys.exit(run_case(globals()))
