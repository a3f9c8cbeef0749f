# SPDX-License-Identifier: MIT
"""Every report with every filter that it has: which ones are slow. Nothing to compare with."""
import subprocess
import sys

import formats
from figures import DATA, ROOT, Measured, record, remove, warm
from imports import generate
from questions import asked

sys.path.append(str(ROOT / 'tests'))
import heads  # pylint: disable=wrong-import-position

SHOWN = 15
PROFILE_SHARE = 4 # a launch of a profile for so many calls: it is an operator, a call and a kernel


def options_of(tracedb, db):
    """Name of a filter, the parameter that a report needs for it, and what to say."""
    _, ((length_s, pid, name, file, epochs),) = asked(tracedb, db, """SELECT (max(start_ns) - min(start_ns)) / 1000000000,
        (SELECT max(pid) FROM process), (SELECT name FROM process GROUP BY name ORDER BY count(*) DESC, name LIMIT 1),
        (SELECT substr(min(name), 1, 8) FROM file WHERE class = 'regular'), (SELECT count(*) FROM phase_interval WHERE label = 'epoch 3') FROM call""")
    at = int(length_s) * 2 // 5
    yield 'whole run', None, []
    for percent in (2, 10):
        yield f'{percent} %', 'start_ns', ['--filter-time', f'{at}s/{at + max(1, int(length_s) * percent // 100)}s']
    if int(epochs):
        yield 'a phase', 'phase', ['--phase', 'epoch 3']
        yield 'all epochs', 'phase', ['--phase', 'epoch']
    yield 'a process', 'pid', ['--pid', pid]
    if name:
        yield 'a name', 'process', ['--process', name]
    if file:
        yield 'files', 'file', ['--param', f'file=*{file}*']


def bench_filters(programs, rows):
    tracedb = programs / 'cli/tracedb'
    folder, _ = generate(programs, rows)
    db = folder.parent / 'filters.db'
    subprocess.run([tracedb, 'import', '--quiet', '--force', '-o', db, folder], check=True)
    warm(db)
    show(measure(tracedb, db), rows, 'calls')
    subprocess.run([sys.executable, ROOT / 'bench/rows.py', db, 'gpu_op', str(rows)], check=True)
    show(measure(tracedb, db), rows, 'pieces of work on GPUs, a call each')
    remove(db)
    bench_profile(tracedb, rows // PROFILE_SHARE)


def bench_profile(tracedb, launches):
    """Of a profile: operators, launches and kernels of one thread."""
    folder = DATA / 'profile'
    folder.mkdir(parents=True, exist_ok=True)
    path, db = formats.make('kineto', launches * 5, folder), folder / 'filters.db'
    subprocess.run([tracedb, 'import', '--quiet', '--force', '-o', db, path], check=True)
    warm(db)
    show(measure(tracedb, db), launches, 'launches of a profile')
    remove(path, db)


def parameters(report):
    """Names of the parameters of queries/REPORT.sql."""
    return set(heads.params((ROOT / 'queries' / f'{report}.sql').read_text(encoding='utf-8'), heads.vocabulary()))


def has_data(command):
    """3: it has no such rows."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 3


def measure(tracedb, db):
    """CPU time, wall time, report and filter, the longest first."""
    found = []
    filters = list(options_of(tracedb, db))
    for path in sorted((ROOT / 'queries').glob('*.sql')):
        has = parameters(path.stem)
        for name, needed, options in filters:
            if needed not in has | {None}:
                continue
            command = [tracedb, 'report', path.stem, *options, db]
            if has_data(command):
                run = Measured(command)
                found.append((run.cpu_s, run.wall_s, path.stem, name))
    return sorted(found, reverse=True)


def show(found, rows, what):
    print(f'\nreports with each filter, {rows} {what}, the {SHOWN} of {len(found)} that take longest, once each')
    for cpu_s, wall_s, report, name in found[:SHOWN]:
        print(f'  {report + ", " + name:<34} cpu {cpu_s:6.3f} s  wall {wall_s:6.3f} s')
    cpu_s, _, report, name = found[0]
    record(f'slowest report of {what}: {report}, {name}', rows, cpu_s, 0, 's')
