# SPDX-License-Identifier: MIT
"""Every report with every filter that it has: which ones are slow. Nothing to compare with."""
import subprocess
import sys

from figures import ROOT, Measured, record, remove, warm
from imports import generate
from questions import asked

sys.path.append(str(ROOT / 'tests'))
import heads  # pylint: disable=wrong-import-position

SHOWN = 15


def options_of(tracedb, db):
    """Name of a filter, the parameter that a report needs for it, and what to say."""
    _, ((length_s, pid, name, file),) = asked(tracedb, db, """SELECT (max(start_ns) - min(start_ns)) / 1000000000,
        (SELECT max(pid) FROM process), (SELECT name FROM process GROUP BY name ORDER BY count(*) DESC, name LIMIT 1),
        (SELECT substr(min(name), 1, 8) FROM file WHERE class = 'regular') FROM call""")
    at = int(length_s) * 2 // 5
    yield 'whole run', None, []
    for percent in (2, 10):
        yield f'{percent} %', 'start_ns', ['--filter-time', f'{at}s/{at + int(length_s) * percent // 100}s']
    yield 'a phase', 'phase', ['--phase', 'epoch 3']
    yield 'all epochs', 'phase', ['--phase', 'epoch']
    yield 'a process', 'pid', ['--pid', pid]
    yield 'a name', 'process', ['--process', name]
    yield 'files', 'file', ['--param', f'file=*{file}*']


def bench_filters(programs, rows):
    tracedb = programs / 'cli/tracedb'
    folder, _ = generate(programs, rows)
    db = folder.parent / 'filters.db'
    subprocess.run([tracedb, 'import', '--quiet', '--force', '-o', db, folder], check=True)
    warm(db)
    show(measure(tracedb, db), rows)
    remove(db)


def parameters(report):
    """Names of the parameters of queries/REPORT.sql."""
    return set(heads.params((ROOT / 'queries' / f'{report}.sql').read_text(encoding='utf-8'), heads.vocabulary()))


def has_data(command):
    """3: it has no such rows."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 3


def measure(tracedb, db):
    """CPU time, wall time, report and filter, the longest first. A report that has to be told more (around: when) is left out."""
    found = []
    filters = list(options_of(tracedb, db))
    for path in sorted((ROOT / 'queries').glob('*.sql')):
        has = parameters(path.stem)
        for name, needed, options in filters:
            if needed not in has | {None} or 'at' in has:
                continue
            command = [tracedb, 'report', path.stem, *options, db]
            if has_data(command):
                run = Measured(command)
                found.append((run.cpu_s, run.wall_s, path.stem, name))
    return sorted(found, reverse=True)


def show(found, rows):
    print(f'\nreports with each filter, {rows} calls, the {SHOWN} of {len(found)} that take longest, once each')
    for cpu_s, wall_s, report, name in found[:SHOWN]:
        print(f'  {report + ", " + name:<34} cpu {cpu_s:6.3f} s  wall {wall_s:6.3f} s')
    cpu_s, _, report, name = found[0]
    record(f'slowest report: {report}, {name}', rows, cpu_s, 0, 's')
