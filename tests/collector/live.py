#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What 'tracedb record' shows on a terminal while it records.

    live.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    live.py --list CASE...      (are these all there are?)
"""
import os
import re
import subprocess
import sys

from recording import TRACEDB, check, environment, equal, on_terminal, record, run_case

SIZE = (24, 200)
XTERM = environment(TERM='xterm')
# 200 writes of 1,000 bytes a second, and as many calls that sleep
WRITER = '''
import os, sys, time
out = os.open('busy-file', os.O_WRONLY | os.O_CREAT)
while True:
    os.write(out, bytes(1000))
    time.sleep(0.005)
'''
LINE = re.compile(rb'\r\x1b\[Krecording (\d)\.00 s: ([\d,]+) events/s, none lost, busiest file (\S+/busy-file)')


def case_live():
    """Once a second, and nothing of it is left at the end; nothing with -q or where it is no terminal."""
    with subprocess.Popen([sys.executable, '-c', WRITER]) as writer:
        args = ('--force', '-o', 'x.db', '-p', str(writer.pid), '--duration')
        text, status = on_terminal([TRACEDB, 'record', *args, '2.5'], SIZE, env=XTERM)
        quiet, quiet_status = on_terminal([TRACEDB, 'record', '-q', *args, '1.2'], SIZE, env=XTERM)
        done = record(*args, '1.2')
        writer.kill()
    equal((status, quiet_status, done.returncode), (0, 0, 0), 'statuses')
    lines = LINE.findall(text)
    check([int(second) for second, _, _ in lines] in ([1, 2], [1]), text)
    check(all(100 < int(rate.replace(b',', b'')) < 2000 for _, rate, _ in lines), lines)
    check(all(path == os.fsencode(os.getcwd()) + b'/busy-file' for _, _, path in lines), lines)
    # what is said at the end begins a line of its own
    check(re.search(rb'busy-file\r\x1b\[Ktracedb: recorded ', text), text[-600:])
    check(b'events/s' not in quiet and 'events/s' not in done.stderr, (quiet, done.stderr))


def case_live_command():
    """A command has the terminal for itself, unless the user says otherwise."""
    command = ('--force', '-o', 'x.db', '--', 'sleep', '1.5')
    alone, _ = on_terminal([TRACEDB, 'record', *command], SIZE, env=XTERM)
    shown, _ = on_terminal([TRACEDB, 'record', '--progress', *command], SIZE, env=XTERM)
    check(b'events/s' not in alone, alone)
    check(b'\r\x1b[Krecording 1.00 s: ' in shown, shown)


sys.exit(run_case(globals()))
