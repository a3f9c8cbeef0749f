#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists processes of its own with ps and every common option, and compares the import with what it started.

usage: ps.py TRACEDB      exit 77: there is no ps of procps here"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Options, and which of the columns USER, PPID and TID they print.
LISTS = (
    ('aux', 'U'), ('auxww', 'U'), ('auxwwf', 'U'), ('axu --no-headers', 'U'), ('-ef', 'UP'), ('-efww', 'UP'),
    ('-ef --no-headers', 'UP'), ('-eF', 'UP'), ('-efH', 'UP'), ('-eLf', 'UPT'), ('-efT', 'UPT'), ('auxT', 'U'),
    ('auxZ', 'U'), ('axl', 'UP'), ('axjf', 'UP'), ('axv', ''), ('-eo pid,ppid,user,args', 'UP'),
    ('-eo pid,lstart,cmd', ''), ('-eo user,pid,start,time,cmd', 'U'), ('-eLo pid,tid,args', 'T'))
# What the processes call themselves.
NAMES = (['sleep', '1000'], ['python3', '-u', 'main.py', '--data', '/with blank'], ['we ird  name | \\_ x', '-c'],
         ['/opt/bin/mpirun', '-np', '2'])
WAIT = 'import sys; sys.stdin.read()'


def start(name):
    """A Python that waits, with these words in its command line. Returns it and the command line."""
    argv = [name[0], '-c', WAIT, *name[1:]]
    return subprocess.Popen(argv, executable=sys.executable, stdin=subprocess.PIPE), ' '.join(argv)


def imported(tracedb, options):
    Path('list.txt').write_bytes(subprocess.run(['ps', *options.split()], stdout=subprocess.PIPE, check=True).stdout)
    Path('list.db').unlink(missing_ok=True)
    subprocess.run([tracedb, 'import', '--quiet', '-o', 'list.db', 'list.txt'], check=True)
    return sqlite3.connect('list.db')


def differences(db, columns, started):
    """What the database has of the processes that were started, where it is not what it should be."""
    # other processes of this machine may be called anything
    found = db.execute("SELECT kind, text FROM issue WHERE text LIKE '%sys.stdin.read%'").fetchall()
    for process, command in started:
        rows = db.execute(
            'SELECT command_line, parent_pid, user IS NOT NULL, '
            '(SELECT count(*) FROM thread AS t WHERE t.process_id = p.id AND t.tid = p.pid) '
            'FROM process AS p WHERE pid = ?', (process.pid,)).fetchall()
        want = [(command, os.getpid() if 'P' in columns else None, 'U' in columns, 'T' in columns)]
        if rows != want:
            found.append((rows, want))
    return found


def why_not():
    """Why this ps cannot be tested; '' if it can."""
    try:
        shown = subprocess.run(['ps', '-V'], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        return f'no ps: {error.strerror}'
    return '' if 'procps' in shown else 'not the ps of procps'


def main(tracedb):
    reason = why_not()
    if reason:
        print(reason)
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        started = [start(name) for name in NAMES]
        time.sleep(0.5)
        for options, columns in LISTS:
            for found in differences(imported(tracedb, options), columns, started):
                failures += 1
                print(f'ps {options}: {found}')
        for process, _ in started:
            process.kill()
            process.wait()
        os.chdir('/')
    print(f'{failures} failed')
    sys.exit(failures > 0)


main(str(Path(sys.argv[1]).resolve()))
