#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPU time and memory of processes that 'tracedb record' has not seen begin or end, in the database.

    usage.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    usage.py --list CASE...      (are these all there are?)
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recording import TRACEDB, check, equal, one, query, record, recorder_of, run_case, start, wait_for

MS = 1000000

# Says in a file, made at once, how much CPU time it has used, when it is ready and whenever it was told to use more.
WORKER = '''
import os, time
def say(name):
    with open(name + '.new', 'w') as f:
        f.write(str(time.process_time_ns()))
    os.rename(name + '.new', name)
def use(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(20000))  # in user space, other than asking for the time
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.05)
big = bytearray(64 << 20)
for i in range(0, len(big), 4096):
    big[i] = 1
del big
use(1)
say('ready')
wait_for('go')
use(0.4)
say('used')
wait_for('stop')
'''


def said(name):
    wait_for(lambda: os.path.exists(name), name)
    return int(Path(name).read_text(encoding='ascii'))


def begin(*args):
    """A recorder whose window is open."""
    process = start(*args)
    for line in process.stderr:
        if 'recording to' in line:
            return process
    check(False, 'it does not record')
    return process


def status_of(pid):
    lines = Path(f'/proc/{pid}/status').read_text(encoding='ascii').splitlines()
    return {line.split(':')[0]: line.split(':')[1].split() for line in lines}


def close(got, want, off, what):
    check(got is not None and abs(got - want) <= off, f'{what}: {got}, expected {want} +-{off}')


def case_cpu_found():
    """One that ran before and goes on afterwards: only the time between counts, but memory from the beginning."""
    with subprocess.Popen([sys.executable, '-c', WORKER]) as worker:
        before = said('ready')
        switches = int(status_of(worker.pid)['voluntary_ctxt_switches'][0])
        begun = time.monotonic_ns()
        recorder = begin('-o', 'x.db', '-p', str(worker.pid))
        Path('go').touch()
        after = said('used')
        status = status_of(worker.pid)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
        wall = time.monotonic_ns() - begun
        Path('stop').touch()
    pid, user, system, observed, waited, peak = query(
        'x.db', 'SELECT pid, user_ns, system_ns, observed_ns, voluntary_switches, max_rss_bytes FROM process '
                'WHERE coalesce(namespace_pid, pid) = ?', worker.pid)[0]
    check(before > 1000 * MS, 'it has used a second before')
    # in the 50 ms that it waits for at a time it uses next to nothing; a tick of the clock is up to 10 ms
    close(user + system, after - before, 30 * MS, 'CPU time')
    check(user > 300 * MS, f'{user} ns in user space')
    check(400 * MS <= observed <= wall, f'observed for {observed} of {wall} ns')
    close(waited, int(status['voluntary_ctxt_switches'][0]) - switches, 100, 'waits')
    equal(peak, int(status['VmHWM'][0]) * 1024, 'peak memory')
    check(peak > 64 << 20, 'which it had before')
    equal(query('x.db', 'SELECT user_ns + system_ns FROM thread WHERE tid = ?', pid), [(user + system,)], 'its only thread')


def case_cpu_killed():
    """What the samples say until the recorder is killed."""
    with subprocess.Popen([sys.executable, '-c', WORKER]) as worker:
        before = said('ready')
        process = begin('-o', 'x.db', '-p', str(worker.pid))
        Path('go').touch()
        after = said('used')
        time.sleep(1.5)  # one sample in each second
        os.kill(recorder_of(process), signal.SIGKILL)
        process.communicate(timeout=60)
        Path('stop').touch()
    if not os.path.exists('x.db'):
        subprocess.run([TRACEDB, 'import', '-q', 'x.db.spool'], check=False)
    recorded = one('x.db', 'SELECT user_ns + system_ns FROM process WHERE coalesce(namespace_pid, pid) = ?', worker.pid)
    close(recorded, after - before, 30 * MS, 'CPU time')


def case_cpu_flight_recorder():
    """Only what was used in the time that is kept, and since when it is said."""
    script = 'import time\nend = time.process_time() + 2\nwhile time.process_time() < end: pass\ntime.sleep(4)\n'
    record('-q', '-o', 'x.db', '--flight-recorder', '1', '--', sys.executable, '-c', script)
    used, observed = query('x.db', 'SELECT user_ns + system_ns, observed_ns FROM process ORDER BY max_rss_bytes DESC LIMIT 1')[0]
    # it slept in the last 4 s; a busy machine may be asked less often than once a second
    check(used < max(observed - 4000 * MS, 0) + 300 * MS, f'{used} ns in {observed} ns that are kept')
    check(observed >= 900 * MS, f'observed for {observed} ns')


def case_mapped_files():
    """That page faults are a lower bound is said where they are recorded, and nowhere else."""
    words = 'a lower bound'
    for sets, want in (('file_io,faults', True), ('file_io', False)):
        done = record('--force', '-e', sets, '-o', 'x.db', '--', 'true')
        equal(words in done.stderr, want, f'at the end of {sets}: {done.stderr}')
        equal(len(query('x.db', "SELECT 1 FROM issue_count WHERE kind = 'mapped-files'")), int(want), f'the note with {sets}')
        report = subprocess.run([TRACEDB, 'report', '-f', 'csv', 'quality', 'x.db'], text=True, capture_output=True, check=True)
        equal(words in report.stdout, want, f'quality of {sets}: {report.stdout}')
    # a data set that is mapped, and what is none: a library, memory in the form of a file, a small one
    script = ('import mmap, os, sys; f = open(sys.argv[1], "r+b"); n = os.fstat(f.fileno()).st_size; '
              'm = mmap.mmap(f.fileno(), n); m[n - 1] = 1; sum(m[::4096])')
    # where /tmp is memory, /var/tmp is none
    with tempfile.NamedTemporaryFile(dir='/dev/shm') as memory, tempfile.NamedTemporaryFile(dir='/var/tmp') as data:
        for file in memory, data:
            file.write(bytes(3 << 20))
            file.flush()
        Path('small').write_bytes(bytes(1000))
        for file, sets, want in ((data.name, 'file_io', True), (data.name, 'file_io,faults', False), (data.name, 'memory', False),
                                 ('small', 'file_io', False), (memory.name, 'file_io', False)):
            done = record('--force', '-e', sets, '-o', 'x.db', '--', sys.executable, '-c', script, file)
            equal('files were mapped (1, 3.15 MB)' in done.stderr, want, f'{sets} of {file}: {done.stderr}')
            equal(len(query('x.db', "SELECT 1 FROM issue_count WHERE kind = 'mapped-files-unseen'")), int(want), f'{sets} of {file}')
            report = subprocess.run([TRACEDB, 'report', '-f', 'csv', 'quality', 'x.db'], text=True, capture_output=True, check=True)
            equal('I/O on mapped files is missing' in report.stdout, want, f'quality of {sets} of {file}')
    check(words not in record('-q', '--force', '-e', 'faults', '-o', 'x.db', '--', 'true').stderr, 'quiet')
    for command in (['record', '--help'], ['check']):
        lines = subprocess.run([TRACEDB, *command], text=True, capture_output=True, check=False).stdout.splitlines()
        check(any('faults' in line and words in line for line in lines), f'what {command} says of faults')


sys.exit(run_case(globals()))
