#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The nsys exports of the corpus: what is imported against what SQL finds in the exports themselves, and our tables against
those that nsys printed (FILE.sqlite beside *.nsys-stats.txt).

usage: nsys.py TRACEDB      exit 77 (skipped) unless TRACEDB_CORPUS names the corpus"""
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

failures = 0
checks = 0

# What becomes of which tables: (rows of ours, tables of the export with a condition).
KINDS = {
    "call JOIN op ON op.id = op_id AND layer = 'libc'": [('OSRT_API', 'eventClass NOT IN (31, 32)')],
    "call JOIN op ON op.id = op_id AND layer = 'cuda'": [('CUPTI_ACTIVITY_KIND_RUNTIME', '1')],
    "span": [('NVTX_EVENTS', 'eventType IN (59, 60, 70, 71)')],
    "gpu_op": [(f'CUPTI_ACTIVITY_KIND_{kind}', '1')
               for kind in ('KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE', 'SYNCHRONIZATION')],
}
# Which export nsys printed the text for, and its names of the reports at that time.
STATS = {'igouProto_vecadd_gpu_1t.nsys-stats.txt': 'igouProto_report3.sqlite'}


def check(what, got, want):
    global failures, checks
    checks += 1
    if got != want:
        failures += 1
        print(f'FAILED {what}: got {got!r}, want {want!r}')


class Export:
    """One export, imported."""

    def __init__(self, tracedb, path, scratch):
        self.name = path.name
        self.path = scratch / (path.stem + '.db')
        done = subprocess.run([tracedb, 'import', '-q', path, '-o', self.path], capture_output=True, text=True)
        check(f'{self.name}: exit status', done.returncode, 0)
        check(f'{self.name}: messages', done.stderr, '')
        self.db = sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)
        self.export = sqlite3.connect(f'file:{path}?mode=ro&immutable=1', uri=True)
        self.tables = {name for name, in self.export.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def ours(self, sql):
        return self.db.execute(sql).fetchone()

    def theirs(self, sql):
        return self.export.execute(sql).fetchone()

    def start_ns(self):
        return self.theirs('SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME')[0]


def accounting(export):
    lines, rows, skipped, issues, state = export.ours('SELECT lines, rows, skipped, issues, state FROM source')
    check(f'{export.name}: state', state, 'complete')
    check(f'{export.name}: issues', issues, 0)
    check(f'{export.name}: lines add up', rows + skipped + issues, lines)
    check(f'{export.name}: integrity', export.ours('PRAGMA integrity_check')[0], 'ok')


def events(export):
    for ours, tables in KINDS.items():
        count, total, first, last = 0, 0, None, None
        for table, condition in tables:
            if table not in export.tables:
                continue
            n, dur, start, end = export.theirs(
                f'SELECT count(*), coalesce(sum("end" - start), 0), min(start), max(start) FROM {table} WHERE {condition}')
            count, total = count + n, total + dur
            if n:
                first = start if first is None else min(first, start)
                last = end if last is None else max(last, end)
        got = export.ours(f'SELECT count(*), coalesce(sum(dur_ns), 0), min(start_ns), max(start_ns) FROM {ours}')
        zero = export.start_ns()
        check(f'{export.name}: {ours}', got,
              (count, total, None if first is None else zero + first, None if last is None else zero + last))


def slices(export):
    want = export.theirs('SELECT count(*) FROM SCHED_EVENTS')[0] if 'SCHED_EVENTS' in export.tables else 0
    check(f'{export.name}: slices', export.ours('SELECT count(*) FROM sched_slice')[0], want)
    if not want:
        return
    want = export.theirs('SELECT sum(next - start) FROM (SELECT isSchedIn, start, lead(start) OVER (PARTITION BY globalTid '
                         'ORDER BY start) AS next FROM SCHED_EVENTS) WHERE isSchedIn = 1')
    check(f'{export.name}: time on CPUs', export.ours(
        "SELECT sum(dur_ns) FROM sched_slice JOIN string AS s ON s.id = state_id WHERE s.text = 'running'"), want)


def names(export):
    for table, ours in (('PROCESSES', 'SELECT count(name) FROM process'), ('ThreadNames', 'SELECT count(name) FROM thread')):
        column = 'globalPid >> 24 & 0xffffff' if table == 'PROCESSES' else 'globalTid & 0xffffff'
        check(f'{export.name}: {table}', export.ours(ours), export.theirs(f'SELECT count(DISTINCT {column}) FROM {table}'))


def by_name(export):
    """Calls, kernels and ranges by name, with the names as they are in the export."""
    for table, column, ours in (
            ('OSRT_API', 'nameId', "SELECT o.name, count(*), sum(dur_ns) FROM call AS c JOIN op AS o ON o.id = c.op_id "
                                   "WHERE layer = 'libc' GROUP BY 1"),
            ('CUPTI_ACTIVITY_KIND_KERNEL', 'demangledName',
             "SELECT n.text, count(*), sum(dur_ns) FROM gpu_op AS g JOIN string AS n ON n.id = g.name_id "
             "JOIN string AS k ON k.id = g.kind_id WHERE k.text = 'kernel' GROUP BY 1"),
            ('NVTX_EVENTS', 'textId', "SELECT n.text, count(*), sum(dur_ns) FROM span AS s JOIN string AS n ON n.id = s.name_id "
                                      "GROUP BY 1")):
        if table not in export.tables:
            continue
        text = 'coalesce(t.text, s.value)' if table == 'NVTX_EVENTS' else 's.value'
        where = {'OSRT_API': 'WHERE eventClass = 27', 'NVTX_EVENTS': 'WHERE eventType IN (59, 60)'}.get(table, '')
        want = export.export.execute(f'SELECT {text}, count(*), sum("end" - start) FROM {table} AS t '
                                     f'LEFT JOIN StringIds AS s ON s.id = t.{column} {where} GROUP BY 1')
        check(f'{export.name}: {table} by name', set(export.db.execute(ours)), set(want))


def tables_of(text):
    """The titles with the lines of their tables."""
    tables = {}
    for title, table in re.findall(r'^([A-Z][^\n]*:)\n\n( [^\n]+\n(?: [^\n]+\n)+)', text, re.MULTILINE):
        tables[title] = table.splitlines()
    return tables


def compare_with_nsys(tracedb, export, text):
    done = subprocess.run([tracedb, 'report', '--compat', 'nsys', export.path], capture_output=True, text=True)
    check(f'{export.name}: report', done.returncode, 0)
    got, want = tables_of(done.stdout), tables_of(text)
    check(f'{export.name}: tables', sorted(got), sorted(want))
    check(f'{export.name}: number of tables', len(want), 4)
    for title, lines in want.items():
        check(f'{export.name}: {title}', got.get(title), lines)


def main():
    corpus = os.environ.get('TRACEDB_CORPUS')
    if not corpus:
        print('TRACEDB_CORPUS is not set')
        return 77
    tracedb = Path(sys.argv[1]).resolve()
    folder = Path(corpus) / 'nsys'
    with tempfile.TemporaryDirectory() as scratch:
        exports = {path.name: Export(tracedb, path, Path(scratch)) for path in sorted(folder.glob('*.sqlite'))}
        for export in exports.values():
            for part in (accounting, events, slices, names, by_name):
                part(export)
        for text, name in STATS.items():
            compare_with_nsys(tracedb, exports[name], (folder / text).read_text())
    print(f'{checks} checks, {failures} failed')
    return failures != 0 or checks == 0


if __name__ == '__main__':
    sys.exit(main())
