#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An import that is killed, or finds the disk full, at each of its calls that change files: what was there
stays as it was, nothing half done has the final name, and the next import works and cleans up.

usage: faults.py TRACEDB LIBFAULTS EXPORT.sql      (LIBFAULTS: faults.c; EXPORT.sql: a small export of nsys)

Killed, and then tried again, is the program in $TRACEDB_PLAIN, if that is set: sanitizers have nothing to say of who is killed.
Of full disks they see every third, each path of a clean-up being taken at many calls in a row."""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

KILLED = -9
failures = 0


def failed(message):
    global failures
    failures += 1
    print(f'FAILED {message}')


def trace(rows):
    """bpftrace text with a read of 4096 bytes in 5 us every millisecond."""
    head = (f'Attaching {rows} probes...\nCapturing VFS Read and Write calls\n'
            'TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED  RETURNED   FILE\n')
    return head + ''.join(f'{10**15 + i * 10**6:<17} {i // 1000 // 3600:02}:{i // 1000 // 60 % 60:02}:{i // 1000 % 60:02}  '
                          f'4242   python         R    5000    4096       4096       file_{i % 50}.npy\n'
                          for i in range(rows))


class Import:
    """The program with arguments, in a folder of its own that is made anew for every run."""

    def __init__(self, tracedb, library, template, arguments):
        self.command = [tracedb, 'import', '-q', *arguments]
        self.library = library
        self.template = template
        self.folder = template.with_name('folder')

    def run(self, **variables):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder)
        # the preloaded library comes before the sanitizer's, which that is fine with
        asan = os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0:detect_leaks=0'
        with open(self.folder / 'input.sqlite', 'rb') as export:
            done = subprocess.run(self.command, cwd=self.folder, capture_output=True, text=True, stdin=export,
                                  env=os.environ | variables | {'LD_PRELOAD': str(self.library), 'ASAN_OPTIONS': asan},
                                  check=False)
        return done.returncode, done.stderr

    def count(self):
        """Calls that an import makes when nothing goes wrong."""
        counted = self.template.with_name('count')
        status, messages = self.run(FAULT_COUNT=str(counted))
        if status != 0:
            sys.exit(f'{self.command}: exit {status}: {messages}')
        return int(counted.read_text())

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}


def is_sound(path):
    db = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    found = db.execute('PRAGMA integrity_check').fetchall() + db.execute('PRAGMA foreign_key_check').fetchall()
    complete = db.execute('SELECT count(*) FROM run').fetchone()
    db.close()
    return found == [('ok',)] and complete == (1,)


def check_files(name, job, before, killed):
    """What is in the folder after a fault."""
    after = job.files()
    if after.get('x.db') != before.get('x.db') and not is_sound(job.folder / 'x.db'):
        failed(f'{name}: x.db is there and is not sound')
    new = set(after) - set(before) - {'x.db'}
    if not killed and new:
        failed(f'{name}: leaves {sorted(new)}')
    if any(not leftover.startswith('.x.db.tracedb') for leftover in new):
        failed(f'{name}: leaves {sorted(new)}')


def check_next(name, job, before):
    """The next import, without a fault."""
    done = subprocess.run(job.command[:3] + ['--force', '-o', 'x.db', 'small.out'], cwd=job.folder,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        failed(f'{name}: the next import: exit {done.returncode}: {done.stderr}')
    elif not is_sound(job.folder / 'x.db'):
        failed(f'{name}: the next import: x.db is not sound')
    if set(job.files()) != set(before) | {'x.db'}:
        failed(f'{name}: the next import leaves {sorted(job.files())}')


def check_kills(what, job, step):
    before = {path.name: path.read_bytes() for path in job.template.iterdir()}
    calls = job.count()
    for at in range(1, calls + 1, step):
        status, messages = job.run(FAULT=f'kill:{at}')
        name = f'{what}, killed at call {at} of {calls}'
        if status != KILLED:
            failed(f'{name}: exit {status}: {messages}')
        check_files(name, job, before, True)
        check_next(name, job, before)
    return calls


def check_full(what, watched, plain, step):
    before = {path.name: path.read_bytes() for path in plain.template.iterdir()}
    calls = plain.count()
    for turn, at in enumerate(range(1, calls + 1, step)):
        job = plain if turn % 3 else watched
        status, messages = job.run(FAULT=f'full:{at}')
        name = f'{what}, full at call {at} of {calls}'
        # what is left of the calls may only remove files
        if (status != 0 or messages) and (status != 3 or 'No space left' not in messages and 'disk is full' not in messages):
            failed(f'{name}: exit {status}: {messages}')
        check_files(name, job, before, False)
    return calls


def main(tracedb, library, export):
    plain = os.environ.get('TRACEDB_PLAIN', tracedb)
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        template = Path(scratch) / 'template'
        template.mkdir()
        (template / 'input.out').write_text(trace(300))
        (template / 'small.out').write_text(trace(3))
        db = sqlite3.connect(template / 'input.sqlite')
        db.executescript(Path(export).read_text(encoding='utf-8'))
        db.close()
        jobs = {'import': (['-o', 'x.db', 'input.out'], 1), 'import of what must be unpacked': (['-o', 'x.db', '-'], 3),
                'append': (['--append', '-o', 'x.db', 'input.out'], 3), 'replace': (['--force', '-o', 'x.db', 'input.out'], 3)}
        for what, (arguments, step) in jobs.items():
            if what == 'append':
                subprocess.run([tracedb, 'import', '-q', '-o', 'x.db', 'small.out'], cwd=template, check=True)
            watched, unwatched = (Import(by, library, template, arguments) for by in (tracedb, plain))
            killed = check_kills(what, unwatched, step)
            full = check_full(what, watched, unwatched, step)
            print(f'{what}: {killed} and {full} calls')
    return 1 if failures else 0


sys.exit(main(*(str(Path(argument).resolve()) for argument in sys.argv[1:])))
