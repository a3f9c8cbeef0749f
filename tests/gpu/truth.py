# SPDX-License-Identifier: MIT
"""Holds what a database says about GPUs against intervals in which they were busy, and in which there was I/O."""
import gzip
import json
import sqlite3
import subprocess
from bisect import bisect_right

SEC = 10**9
KERNELS = ('kernel', 'gpu_memcpy', 'gpu_memset')
QUANTITIES = ('busy', 'both', 'idle', 'neither')


def union(intervals):
    out = []
    for start, end in sorted(intervals):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        elif end > start:
            out.append([start, end])
    return out


def intersect(a, b):
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        start, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if start < end:
            out.append([start, end])
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return out


def subtract(a, b):
    out, j = [], 0
    for start, end in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        i = j
        while i < len(b) and b[i][0] < end:
            if b[i][0] > start:
                out.append([start, b[i][0]])
            start = max(start, b[i][1])
            i += 1
        if start < end:
            out.append([start, end])
    return out


def put_down(intervals, calls):
    """By cause, what it is put down to: (cause, its intervals), the first one counts; calls: from the begin of the first to the end of the last."""
    out, rest = {}, [[-2**62, 2**62]]
    for cause, of in [*intervals, ('no calls recorded', [(-2**62, calls[0]), (calls[1], 2**62)])]:
        out[cause] = Cover(intersect(rest, union(of)))
        rest = subtract(rest, out[cause].intervals)
    return {**out, 'unexplained': Cover(rest)}


class Cover:
    """How much of any window is covered by intervals."""

    def __init__(self, intervals):
        self.intervals = union(intervals)
        self.starts = [start for start, _ in self.intervals]
        self.sums = [0]
        for start, end in self.intervals:
            self.sums.append(self.sums[-1] + end - start)

    def until(self, ns):
        i = bisect_right(self.starts, ns)
        return self.sums[i - 1] + min(self.intervals[i - 1][1], ns) - self.starts[i - 1] if i else 0

    def within(self, windows):
        return sum(self.until(end) - self.until(start) for start, end in windows)


def kernels_of(path):
    """By GPU, from a Kineto trace; times in UTC."""
    trace = json.loads(gzip.open(path).read())
    base, out = int(trace.get('baseTimeNanoseconds', 0)), {}
    for event in trace['traceEvents']:
        if event.get('cat') in KERNELS and event.get('ph') == 'X':
            start = base + round(event['ts'] * 1000)
            out.setdefault(event['args']['device'], []).append((start, start + round(event['dur'] * 1000)))
    return {gpu: Cover(intervals) for gpu, intervals in out.items()}


def build(tracedb, folder):
    """Imports the folder; the database."""
    done = subprocess.run([tracedb, 'import', '-q', '--force', '-o', f'{folder}.db', folder], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'{folder}: {done.stderr}')
    return sqlite3.connect(f'file:{folder}.db?mode=ro', uri=True)


def rows(db, busy, io=None, slack_ns=2000, causes=None):
    """For each row of gpu_phase: label, GPU, basis, wall_ns, and by quantity the truth, min, max and whether it holds.

    busy: by number of the GPU; causes: of put_down(), for all or by number of the GPU. slack_ns: to what the sources' times are printed, per interval of a window."""
    observed = {}
    for gpu, start, length in db.execute('SELECT number, g.start_ns, dur_ns FROM gpu_segment AS g JOIN segment USING (start_ns)'
                                         ' JOIN device AS d ON d.id = device_id'):
        observed.setdefault(gpu, []).append((start, start + length))
    observed = {gpu: union(intervals) for gpu, intervals in observed.items()}
    phases = db.execute('SELECT label, start_ns, end_ns FROM phase_interval').fetchall()
    run, shared = io or Cover([]), {}

    def both_of(gpu, cause, cover):
        """When the GPU was busy and the cause there, too: of all windows the same."""
        if (gpu, cause) not in shared:
            shared[gpu, cause] = Cover(intersect(busy.get(gpu, Cover([])).intervals, cover.intervals))
        return shared[gpu, cause]

    for row in db.execute("""SELECT label, g.start_ns, number, basis, wall_ns, busy_min_ns, busy_max_ns, io_both_min_ns, io_both_max_ns,
                                    io_ns - io_both_max_ns, io_ns - io_both_min_ns, io_neither_min_ns, io_neither_max_ns
                             FROM gpu_phase AS g JOIN device AS d ON d.id = device_id"""):
        label, start, gpu, basis, wall = row[:5]
        when = union([(a, b) for name, a, b in phases if name == label and start in (None, a)]) or [[-2**62, 2**62]]
        when = intersect(when, observed[gpu])
        used = busy.get(gpu, Cover([]))
        both = both_of(gpu, None, run).within(when)
        true = {'busy': used.within(when), 'both': both, 'idle': run.within(when) - both}
        true['neither'] = wall - true['busy'] - true['idle']
        said = {}
        for i, name in enumerate(QUANTITIES):
            low, high = row[5 + 2 * i:7 + 2 * i]
            if low is not None:
                slack = slack_ns * (2 + len(when)) + (0 if name == 'busy' else slack_ns * len(run.intervals))
                said[name] = (true[name], low, high, low - slack <= true[name] <= high + slack)
        for cause, low, high in db.execute('SELECT cause, idle_min_ns, idle_max_ns FROM gpu_idle_part JOIN device AS d ON d.id = device_id'
                                           ' WHERE label = ? AND start_ns IS ? AND d.number = ?', (label, start, gpu)) if causes else ():
            cover = causes[gpu][cause] if gpu in causes else causes[cause]
            true = cover.within(when) - both_of(gpu, cause, cover).within(when)
            slack = slack_ns * (2 + len(when) + 2 * len(cover.intervals))
            # a part is not more than the whole
            said[f'idle, {cause}'] = (true, low, high, low - slack <= true <= high + slack and high <= wall - row[5])
        yield label, gpu, basis, wall, said
