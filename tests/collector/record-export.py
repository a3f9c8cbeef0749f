#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recorded run as bpftrace text and back: what the layouts have a place for is the same.

usage: record-export.py TRACEDB      exit 77 (skipped) if nothing can be recorded here"""
import csv
import io
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

TRACEDB = os.path.abspath(sys.argv[1])
failures = []

# Processes, files with blanks and without name, errors, positions, sizes; nothing that only one kernel does.
PROGRAM = r'''
import os, sys
os.mkdir('new')
with open('new/data file.bin', 'wb') as f:
    f.write(bytes(100000))
fd = os.open('new/data file.bin', os.O_RDWR)
for k in range(20):
    os.pread(fd, 1000 + k, 4096 * k)
    os.pwrite(fd, b'x' * (k + 1), 512 * k)
os.close(fd)
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, b'through the pipe')
    os._exit(0)
os.wait()
os.read(r, 100)
for name in ('none', 'new/none'):
    try:
        os.open(name, os.O_RDONLY)
    except FileNotFoundError:
        pass
os.unlink('new/data file.bin')
os.rmdir('new')
'''


def equal(got, want, what):
    if got == want:
        return
    failures.append(what)
    print(f'failed: {what}: {len(got)} rows, expected {len(want)}')
    for row in [row for row in got if row not in want][:3]:
        print(f'    only after:  {row}')
    for row in [row for row in want if row not in got][:3]:
        print(f'    only before: {row}')


def tracedb(*args):
    env = {key: value for key, value in os.environ.items() if not key.startswith(('SUDO_', 'PKEXEC_'))}
    done = subprocess.run([TRACEDB, *args], env=env, text=True, capture_output=True, check=False, timeout=120)
    if done.returncode:
        sys.exit(f'{args}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def query(db, sql):
    return list(csv.reader(io.StringIO(tracedb('query', '-f', 'csv', db, sql))))[1:]


# A file by its last component: where no open of it is in the run, that is all that the text has.
NAME = "replace(coalesce(file, ''), rtrim(coalesce(file, ''), replace(coalesce(file, ''), '/', '')), '')"


def rows_of(db, layout):
    whole = "verb IN ('open', 'read', 'write')"
    if layout == 'bpftrace':
        return query(db, f"""SELECT start_ns, dur_ns, verb, pid, CASE verb WHEN 'open' THEN NULL ELSE ret END,
            CASE verb WHEN 'open' THEN NULL ELSE asked_bytes END, CASE WHEN verb = 'open' AND ret < 0 THEN '' ELSE {NAME} END
            FROM calls WHERE {whole} AND (verb = 'open' OR ret IS NOT NULL) ORDER BY 1, 2, 3, 4""")
    return query(db, f"""SELECT start_ns, dur_ns, verb, pid, CASE verb WHEN 'open' THEN NULL ELSE fd END, ret,
        CASE verb WHEN 'write' THEN asked_bytes END, CASE verb WHEN 'write' THEN coalesce(offset_bytes, 0) END,
        {NAME} FROM calls WHERE ({whole} OR verb = 'close') AND verb <> 'close' AND ret IS NOT NULL
        UNION ALL SELECT start_ns, dur_ns, verb, pid, fd, NULL, NULL, NULL, {NAME} FROM calls WHERE verb = 'close'
        ORDER BY 1, 2, 3, 4""")


def opens_without_result(rows):
    """The older layout does not print what an open returned, and so not whether there is a file of that name."""
    return [row[:6] if row[2] == 'open' else row for row in rows]


def round_trip(layout):
    tracedb('export', '-q', 'run.db', '--to', f'{layout}={layout}')
    boot = query('run.db', "SELECT clock_offset_ns FROM source WHERE clock = 'boot'")[0][0]
    tracedb('import', '-q', '--clock', f'boot={boot}', '-o', f'{layout}.db', layout)
    before, after = rows_of('run.db', layout), rows_of(f'{layout}.db', layout)
    if layout == 'bpftrace':
        before, after = opens_without_result(before), opens_without_result(after)
    if len(before) < 60:
        failures.append('the run')
        print(f'failed: only {len(before)} calls in the run')
    equal(after, before, f'{layout}: calls')
    blocks = 'SELECT start_ns, dur_ns, device, op, sector, bytes, pid FROM requests ORDER BY 1, 2, 5'
    equal(query(f'{layout}.db', blocks), query('run.db', blocks), f'{layout}: requests to disks')


def main():
    checked = subprocess.run([TRACEDB, 'check', '-f', 'csv'], text=True, capture_output=True, check=False)
    for row in csv.reader(io.StringIO(checked.stdout)):
        if row[0] in ('collector', 'privilege', 'events: file_io') and row[1] not in ('ok', 'limited'):
            print('nothing can be recorded here: ' + ': '.join(row[1:]))
            sys.exit(77)
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        os.chdir(scratch)
        Path('program.py').write_text(PROGRAM)
        tracedb('record', '-q', '-o', 'run.db', '--', sys.executable, '-S', 'program.py')
        for layout in ('bpftrace', 'bpftrace-split'):
            round_trip(layout)
        os.chdir('/')
    sys.exit(bool(failures))


main()
