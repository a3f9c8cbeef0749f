# SPDX-License-Identifier: MIT
"""What every benchmark needs: a measured run, and the history of figures."""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / 'bench' / 'data'
HISTORY = ROOT / 'bench' / 'history.tsv'


class Measured:
    """One run of a command: wall time, CPU time, peak memory."""

    def __init__(self, command, stdin=None):
        reading, writing = os.pipe()
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=reading, stdout=subprocess.DEVNULL)
        os.close(reading)
        with os.fdopen(writing, 'w', encoding='utf-8') as pipe:
            pipe.write(stdin or '')
        _, status, usage = os.wait4(process.pid, 0)
        self.wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f'bench: {" ".join(map(str, command))}: exit {process.returncode}')
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.rss_mib = usage.ru_maxrss / 1024


def commit():
    """Date and id of the commit, '-' outside of git."""
    shown = subprocess.run(['git', '-C', ROOT, 'show', '-s', '--format=%cs\t%h'], capture_output=True,
                           text=True, check=False)
    return shown.stdout.strip() or '-\t-'


def record(what, rows, ours, theirs, unit):
    """A line of the history; theirs is '' where there is nothing to compare with."""
    ratio = f'{theirs / ours:.2f}' if theirs else ''
    new = not HISTORY.exists()
    with open(HISTORY, 'a', encoding='utf-8') as history:
        if new:
            history.write('date\tcommit\twhat\trows\ttracedb\tother\tratio\tunit\n')
        theirs = f'{theirs:.3f}' if theirs else ''
        history.write(f'{commit()}\t{what}\t{rows}\t{ours:.3f}\t{theirs}\t{ratio}\t{unit}\n')


def spread(values):
    return f'{statistics.median(values):8.3f} s  ({min(values):.3f} .. {max(values):.3f})'


def warm(*paths):
    for path in paths:
        with open(path, 'rb') as file:
            while file.read(1 << 22):
                pass


def remove(*paths):
    for path in paths:
        path.unlink(missing_ok=True)
