#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Appending gives what one import of all files gives, whichever comes first.

usage: append.py TRACEDB EXAMPLE FILE...    EXAMPLE: a folder of files of one run; FILE: samples, one of each format

Each pair of the files of the run, both orders; each sample beside the next one, both orders; and of three files of the run
the last one appended to two. Ids may differ, so rows are compared by the names that they refer to. The pairs of the run, of
which there are many, are for $TRACEDB_PLAIN, if that is set: the program without sanitizers."""
import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = {
    'source': 'SELECT path, importer, layout, state, detail, lines, rows, skipped, issues, repaired, lost_events, clock, '
              'clock_offset_ns, clock_drift_ppb, clock_error_ns, clock_basis, first_ns, last_ns FROM source',
    'run': 'SELECT start_ns, end_ns, utc_offset_s, utc_offset_basis, bin_ns FROM run',
    'file': 'SELECT path, name, path_basis, class, class_known, truncated FROM file',
    'process': 'SELECT pid, name, command_line, parent_pid, role, start_ns, end_ns, exit_status, lifetime FROM process',
    'call': 'SELECT c.start_ns, c.dur_ns, o.name, p.pid, f.path, f.name, c.done_bytes, c.ret, c.nested FROM call AS c '
            'JOIN op AS o ON o.id = c.op_id LEFT JOIN process AS p ON p.id = c.process_id '
            'LEFT JOIN file AS f ON f.id = c.file_id',
    'sample': 'SELECT t.name, d.name, s.ts_ns, s.value FROM sample AS s JOIN track AS t ON t.id = s.track_id '
              'LEFT JOIN device AS d ON d.id = t.device_id',
    'span': 'SELECT s.start_ns, s.dur_ns, n.text FROM span AS s JOIN string AS n ON n.id = s.name_id',
    'issue_count': 'SELECT s.path, i.kind, i.count, i.first_line FROM issue_count AS i JOIN source AS s ON s.id = i.source_id',
    'phase_interval': 'SELECT label, start_ns, end_ns FROM phase_interval',
    'summary': 'SELECT s.path, m.name, m.key, m.low, m.high, m.value FROM summary AS m JOIN source AS s ON s.id = m.source_id',
}


def contents(path):
    db = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    db.text_factory = bytes
    found = {name: sorted(db.execute(sql).fetchall(), key=repr) for name, sql in ROWS.items()}
    db.close()
    return found


class Pairs:
    def __init__(self, folder):
        self.folder = folder
        self.firsts = {}    # databases to append to, by their inputs
        self.pairs = self.failures = 0

    def add(self, tracedb, path, inputs):
        subprocess.run([tracedb, 'import', '-q', '--append', '-o', path, *inputs], check=False, stderr=subprocess.DEVNULL)

    def first(self, tracedb, inputs):
        """A database of these, which is made once."""
        made = self.firsts.setdefault(tuple(inputs), os.path.join(self.folder, f'first{len(self.firsts)}.db'))
        if not os.path.exists(made):
            self.add(tracedb, made, inputs)
        return made

    def make(self, tracedb, name, first, inputs):
        path = os.path.join(self.folder, name)
        if first and os.path.exists(first):
            shutil.copyfile(first, path)
        self.add(tracedb, path, inputs)
        found = contents(path) if os.path.exists(path) else None
        if found:
            os.remove(path)
        return found

    def check(self, tracedb, first, then):
        once = self.make(tracedb, 'once.db', None, [*first, *then])
        twice = self.make(tracedb, 'twice.db', self.first(tracedb, first), then)
        self.pairs += 1
        if once == twice:
            return
        self.failures += 1
        names = [name for name in ROWS if not once or not twice or once[name] != twice[name]]
        print(f'{" ".join(map(str, first))}, then {" ".join(map(str, then))}: not the same: {", ".join(names)}')


def main(tracedb, example, *samples):
    with tempfile.TemporaryDirectory() as folder:
        pairs, tracedb = Pairs(folder), os.path.abspath(tracedb)
        run = sorted(str(path) for path in Path(example).iterdir())
        for first, then in itertools.permutations(run, 2):
            pairs.check(os.environ.get('TRACEDB_PLAIN', tracedb), [first], [then])
        for i, then in enumerate(run):
            pairs.check(tracedb, [run[i - 2], run[i - 1]], [then])
        for first, then in zip(samples, samples[1:] + samples[:1]):
            pairs.check(tracedb, [first], [then])
            pairs.check(tracedb, [then], [first])
    print(f'{pairs.pairs} pairs, {pairs.failures} differ')
    return 1 if pairs.failures or not pairs.pairs else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
