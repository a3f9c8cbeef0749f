#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The whole run folders of the corpus against what is known to be in them (oracle.json of each).

usage: runs.py TRACEDB      exit 77 (skipped) unless TRACEDB_CORPUS names the corpus

The first of them, the smallest, is imported by TRACEDB, which may have sanitizers, the others by the program in $TRACEDB_PLAIN, if
that is set: what reads their lines is watched by bpftrace-runs, and what is made of them by the first and by examples/stall."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

failures = 0
checks = 0


def check(what, got, want):
    global failures, checks
    checks += 1
    if got != want:
        failures += 1
        print(f'FAILED {what}: got {got!r}, want {want!r}')


def check_true(what, ok, detail):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print(f'FAILED {what}: {detail}')


class Run:
    """One folder, imported."""

    def __init__(self, tracedb, folder, scratch):
        self.oracle = json.loads((folder / 'oracle.json').read_text())
        copy = scratch / folder.name
        shutil.copytree(folder, copy)
        (copy / 'oracle.json').unlink()  # the answer is no part of the question
        done = subprocess.run([tracedb, 'import', '-q', copy], capture_output=True, text=True)
        check(f'{folder.name}: exit status', done.returncode, 0)
        check(f'{folder.name}: messages', done.stderr, '')
        self.name = folder.name
        self.db = sqlite3.connect(f'file:{copy}.db?mode=ro', uri=True)

    def one(self, sql, *values):
        return self.db.execute(sql, values).fetchone()

    def check(self, what, got, want):
        check(f'{self.name}: {what}', got, want)


def clocks(run):
    """True offset within the stated error, which is within 11 ms, and 51 where the wall clock was looked at for a part of the time; zone and dates found without being told."""
    true = run.oracle['boot_epoch_ns']
    rows = run.db.execute("select path, clock_offset_ns, clock_error_ns from source where clock = 'boot'").fetchall()
    check_true(f'{run.name}: boot sources', len(rows) >= 3, rows)
    for path, offset, error in rows:
        check_true(f'{run.name}: {path}: offset within 5 ms', abs(offset - true) <= 5_000_000, offset - true)
        check_true(f'{run.name}: {path}: offset within its error', abs(offset - true) <= error, (offset - true, error))
        most = 51_000_000 if any('time_align' in p for p, _, _ in rows) else 11_000_000
        check_true(f'{run.name}: {path}: error within {most} ns', error <= most, error)
    run.check('local zone', run.one('select utc_offset_s, utc_offset_basis from run'),
              (run.oracle['local_minus_utc_s'], 'sources'))
    for path in ('cpu.out', 'gpu.out'):
        run.check(f'{path}: offset', run.one('select clock_offset_ns from source where path = ?', path),
                  (-run.oracle['local_minus_utc_s'] * 10**9,))


def accounting(run):
    for path, want in run.oracle['files'].items():
        lines, rows, skipped, issues, lost, state = run.one(
            'select lines, rows, skipped, issues, lost_events, state from source where path = ?', path)
        run.check(f'{path}: lines', lines, want['lines'])
        run.check(f'{path}: lines add up', rows + skipped + issues, lines)
        run.check(f'{path}: lost events', lost, want.get('lost_events', 0))
        run.check(f'{path}: spoilt lines', issues, want.get('spoilt_lines', 0))
        run.check(f'{path}: state', state, 'complete')


def repaired(run, path):
    row = run.one("select count from issue_count as i join source as s on s.id = i.source_id "
                  "where s.path = ? and kind = 'wrapped-latency'", path)
    return row[0] if row else 0


CALLS = ("select count(*), sum(c.ret < 0), sum(c.done_bytes), sum(c.dur_ns) from calls as c "
         "where c.source = ? and c.verb = ?")


def calls(run, path, verb, count, nbytes=None, failed=None):
    got = run.one(CALLS, path, verb)
    run.check(f'{path}: {verb}s', got[0], count)
    if nbytes is not None:
        run.check(f'{path}: bytes of {verb}s', got[2], nbytes)
    if failed is not None:
        run.check(f'{path}: failed {verb}s', got[1], failed)


def blocks(run, path):
    want = run.oracle['files'][path]['surviving']
    run.check(f'{path}: requests, bytes',
              run.one("select count(*), coalesce(sum(bytes) filter (where op = 'read'), 0), "
                      "coalesce(sum(bytes) filter (where op = 'write'), 0) from requests"),
              (want['events'], want['read_bytes'], want['write_bytes']))


def dgx1_v2(run):
    files = run.oracle['files']
    blocks(run, 'bio.out')
    rw, surviving = files['vfs_rw.out'], files['vfs_rw.out']['surviving']
    calls(run, 'vfs_rw.out', 'read', surviving['reads'], surviving['read_bytes'], rw['failed_reads'])
    calls(run, 'vfs_rw.out', 'write', surviving['writes'], surviving['write_bytes'])
    run.check('vfs_rw.out: latencies after repair',
              run.one("select sum(dur_ns) from calls where source = 'vfs_rw.out'")[0], surviving['lat_ns_after_repair'])
    run.check('vfs_rw.out: wrapped latencies', repaired(run, 'vfs_rw.out'), rw['lat_over_2_31'])
    # a spoilt line holds two events, here one openat or vfs_open each: none of the four lines became a row
    opened = files['open.out']
    got = run.one("select count(*) from calls where source = 'open.out'")[0]
    run.check('open.out: calls', got, opened['events'] - 4)
    check_true(f'{run.name}: openat and vfs_open apart',
               abs(run.one("select count(*) from calls where op = 'openat'")[0] - opened['openat']) <= 4, '')
    cut = run.one("select count(*) from call where file_id in (select id from file where truncated = 1)")[0]
    check_true(f'{run.name}: paths of 63 characters', 0 <= opened['truncated_63'] - cut <= 4, cut)
    # no call counted in two layers: nearly every vfs_open lies inside an openat
    run.check('op_stat: openat and vfs_open', run.one(
        "select sum(s.calls) from op_stat as s join op as o on o.id = s.op_id "
        "where s.by = 'op' and o.name in ('openat', 'vfs_open')")[0],
        run.one("select count(*) from calls where op = 'openat' or (op = 'vfs_open' and nested = 0)")[0])


def split(run):
    files = run.oracle['files']
    blocks(run, 'trace_bio.out')
    calls(run, 'trace_read.out', 'read', files['trace_read.out']['reads'], files['trace_read.out']['read_bytes'],
          files['trace_read.out']['failed_reads'])
    calls(run, 'trace_write.out', 'write', files['trace_write.out']['writes'], files['trace_write.out']['write_bytes'])
    calls(run, 'trace_openat.out', 'open', files['trace_openat.out']['openat'])
    for path in ('trace_read.out', 'trace_write.out', 'trace_openat.out'):
        if files[path].get('lat_over_2_32', 0) == 0:
            run.check(f'{path}: sum of latencies', run.one('select sum(dur_ns) from calls where source = ?', path)[0],
                      files[path]['lat_ns_true_sum'])


def who_and_what(run):
    spoilt = sum(f.get('spoilt_lines', 0) for name, f in run.oracle['files'].items() if 'read' in name or 'rw' in name)
    got = {str(pid): [n, nbytes] for pid, n, nbytes in run.db.execute(
        "select p.pid, s.calls, s.done_bytes from file_stat as s join process as p on p.id = s.key_id "
        "where s.by = 'process,verb' and s.process_id is null and s.verb = 'read'")}
    want = run.oracle['reads_by_pid']
    run.check('readers', sorted(got), sorted(want))
    different = [pid for pid in want if got.get(pid) != want[pid]]
    # each spoilt line took one read from one process
    check_true(f'{run.name}: reads by pid', len(different) <= spoilt, different)
    for pid in different:
        check_true(f'{run.name}: reads of {pid}', 0 < want[pid][0] - got[pid][0] <= spoilt, (got[pid], want[pid]))
    for name, n, nbytes, _ in run.oracle['top_read_files']:
        row = run.one("select s.calls, s.done_bytes from file_stat as s join file as f on f.id = s.key_id "
                      "where s.by = 'file,verb' and s.process_id is null and s.verb = 'read' and f.name = ?", name)
        check_true(f'{run.name}: reads of {name}', row and 0 <= n - row[0] <= spoilt and row[1] <= nbytes, (row, n, nbytes))
    path = run.oracle['top_read_files'][0][0]
    run.check('a bare name is matched with the path that was opened',
              run.one('select path, path_basis from file where name = ?', path), (f'/data/{path}', 'matched'))
    unnamed = run.one("select sum(s.calls) filter (where verb = 'read'), sum(s.done_bytes) filter (where verb = 'read') "
                      "from file_stat as s join string as t on t.id = s.key_id "
                      "where by = 'class,verb' and process_id is null and t.text = 'unnamed'")
    run.check('reads of what has no name', list(unnamed), run.oracle['anonymous_reads'][:2])


def phases(run):
    names = ('init', 'epoch', 'eval')
    got = [list(row) for row in run.db.execute(
        f"select start_ns, end_ns, upper(name) from phases where name in {names} order by start_ns")]
    run.check('intervals', got, run.oracle['intervals_utc'])


def samples(run):
    files = run.oracle['files']
    run.check('gpu.out: rows', run.one("select rows from source where path = 'gpu.out'")[0], files['gpu.out']['samples'])
    run.check('gpu.out: sampled', run.one("select count(*) from samples where counter = 'gpu.sm' and value is not null")[0],
              files['gpu.out']['sampled'])
    run.check('cpu.out: rows', run.one("select count(*) from samples where counter = 'cpu.idle'")[0],
              files['cpu.out']['samples'])
    first, last = run.one("select min(start_ns), max(end_ns) from phases")
    inside = run.one("select avg(end_ns between ? and ?) from samples where gpu is not null", first - 60 * 10**9, last + 60 * 10**9)[0]
    run.check('GPU samples fall into the run', inside, 1.0)


UNCOUNTED = """SELECT path FROM source AS s WHERE lines <> rows + skipped + issues
    OR issues <> (SELECT coalesce(sum(count), 0) FROM issue_count WHERE source_id = s.id AND effect = 'dropped')
    OR repaired > (SELECT coalesce(sum(count), 0) FROM issue_count WHERE source_id = s.id AND effect = 'repaired')"""


def main():
    corpus = os.environ.get('TRACEDB_CORPUS')
    if not corpus:
        print('TRACEDB_CORPUS is not set')
        return 77
    tracedb = Path(sys.argv[1]).resolve()
    plain = os.environ.get('TRACEDB_PLAIN', tracedb)
    with tempfile.TemporaryDirectory() as scratch:
        for i, folder in enumerate(sorted((Path(corpus) / 'runs').iterdir())):
            run = Run(plain if i else tracedb, folder, Path(scratch))
            run.check('integrity', run.one('pragma integrity_check'), ('ok',))
            run.check('foreign keys', run.one('pragma foreign_key_check'), None)
            run.check('issues are counted', run.one(UNCOUNTED), None)
            for part in (clocks, accounting, who_and_what, phases, samples,
                         dgx1_v2 if run.oracle['format'] == 'dgx1_v2' else split):
                part(run)
    print(f'{checks} checks, {failures} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
