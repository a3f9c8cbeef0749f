#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a database made from examples/stall/run against examples/stall/truth.json.

usage: truth.py DATABASE TRUTH.json        prints what differs; exit status 1 if anything does"""
import json
import sqlite3
import sys
from pathlib import Path

SEC = 10**9
BPFTRACE_CLOCK_ERROR_NS = 5 * 10**6     # TIME is read late, from a clock that ticks every 4 ms


class Truth:
    def __init__(self, database, facts):
        self.db = sqlite3.connect(f'file:{database}?mode=ro', uri=True)
        self.facts = json.loads(Path(facts).read_text(encoding='utf-8'))
        self.checks = self.failures = 0

    def expect(self, what, got, want):
        self.checks += 1
        if got != want:
            self.failures += 1
            print(f'{what}: {got}, should be {want}')

    def row(self, sql, *values):
        return self.db.execute(sql, values).fetchone()

    def source(self, name, facts):
        """The counts of one file: every line accounted for, damage and loss as planted."""
        lines, rows, skipped, issues, lost, state = self.row(
            'SELECT lines, rows, skipped, issues, lost_events, state FROM source WHERE path = ?', name)
        self.expect(f'{name}: lines', lines, facts['lines'])
        self.expect(f'{name}: lines accounted for', rows + skipped + issues, lines)
        self.expect(f'{name}: issues', issues, facts.get('spoilt_lines', 0))
        self.expect(f'{name}: lost events', lost, facts.get('lost_events', 0))
        self.expect(f'{name}: state', state, 'complete')

    def clocks(self, boot_epoch_ns, utc_offset_s):
        """The boot clock and the local zone are found without being told."""
        self.expect('local minus UTC', self.row('SELECT utc_offset_s, utc_offset_basis FROM run'),
                    (utc_offset_s, 'sources'))
        for name in ('vfs_rw.out', 'open.out', 'bio.out'):
            offset, error = self.row(
                'SELECT clock_offset_ns, clock_error_ns FROM source WHERE path = ?', name)
            off = abs(offset - boot_epoch_ns)
            self.expect(f'{name}: off by {off} ns, within 5 ms', off <= BPFTRACE_CLOCK_ERROR_NS, True)
            self.expect(f'{name}: off by {off} ns, within its error bar {error}', off <= error, True)

    def sources(self):
        for name, facts in self.facts['sources'].items():
            self.source(name, facts)
        cut = self.row('SELECT count(*) FROM call JOIN file ON file.id = file_id WHERE truncated')
        self.expect('paths cut', cut[0], self.facts['sources']['open.out']['truncated'])

    def calls(self):
        sql = """SELECT count(*), coalesce(sum(done_bytes), 0), sum(dur_ns), coalesce(sum(ret < 0), 0)
                 FROM calls WHERE op = ? AND (pid = ? OR ? IS NULL)"""
        keys = ('calls', 'done_bytes', 'total_ns', 'failed')
        for op, facts in self.facts['calls'].items():
            self.expect(op, self.row(sql, op, None, None), tuple(facts[key] for key in keys))
        for key, facts in self.facts['calls_by_pid'].items():
            pid, op = key.split()
            self.expect(key, self.row(sql, op, pid, pid), tuple(facts[key] for key in keys))
        for name, facts in self.facts['top_read_files'].items():
            got = self.row("""SELECT count(*), sum(done_bytes), sum(dur_ns) FROM call
                              JOIN file ON file.id = file_id JOIN op ON op.id = op_id
                              WHERE file.name = ? AND op.name = 'vfs_read'""", name)
            self.expect(name, got, (facts['reads'], facts['done_bytes'], facts['total_ns']))

    def nothing_twice(self):
        """A vfs_open is part of the openat around it; what is left are the openat calls."""
        got = self.row("SELECT count(*) FROM io_calls WHERE verb = 'open'")
        self.expect('opens, no layer counted twice', got[0], self.facts['calls']['openat']['calls'])

    def block(self, what, facts, condition='1', *values):
        got = self.row(f"""SELECT sum(op = 'read'), sum(op = 'write'),
                           sum(CASE op WHEN 'read' THEN bytes ELSE 0 END),
                           sum(CASE op WHEN 'write' THEN bytes ELSE 0 END), sum(dur_ns)
                           FROM requests WHERE {condition}""", *values)
        keys = ('reads', 'writes', 'read_bytes', 'write_bytes', 'total_ns')
        self.expect(what, tuple(value or 0 for value in got), tuple(facts[key] for key in keys))

    def stall(self):
        facts = self.facts['stall']
        got = self.row("""SELECT pid, file, dur_ns, abs(start_ns - ?) <= ? FROM calls
                          WHERE op = 'vfs_read' ORDER BY dur_ns DESC LIMIT 1""",
                       facts['start_ns'], BPFTRACE_CLOCK_ERROR_NS)
        self.expect('longest read', got, (facts['pid'], facts['path'], facts['dur_ns'], 1))
        got = self.row("SELECT sum(count) FROM issue_count WHERE effect = 'repaired'")
        self.expect('repaired lines', got[0], 1)

    def anonymous(self):
        for pid, facts in self.facts['anonymous_writes'].items():
            for name in ('unnamed', 'shm', 'eventfd'):
                got = self.row("""SELECT count(*), coalesce(sum(done_bytes), 0) FROM io_calls
                                  WHERE verb = 'write' AND pid = ? AND file_class = ?""", pid, name)
                self.expect(f'{pid}: writes to {name}', got,
                            (facts.get(name + '_writes', 0), facts.get(name + '_bytes', 0)))

    def phases(self):
        got = self.db.execute('SELECT label, start_ns, end_ns FROM phases').fetchall()
        want = [(label, facts['start_ns'], facts['end_ns'])
                for label, facts in self.facts['phases'].items()]
        self.expect('phases', sorted(got), sorted(want))
        for label, facts in self.facts['phases'].items():
            self.block(f'{label}: block I/O', facts['block'], 'start_ns >= ? AND start_ns < ?',
                       facts['start_ns'], facts['end_ns'])
            for gpu, busy in enumerate(facts['gpus']):
                self.gpu(label, facts, gpu, busy)

    def gpu(self, label, facts, gpu, busy):
        # pmon prints whole seconds: a sample may be up to a second later than it says
        zeros, = self.row("""SELECT count(*) FROM samples WHERE gpu = ? AND counter = 'gpu.sm' AND value = 0
                             AND end_ns - ? >= ? AND end_ns + ? <= ?""",
                          gpu, SEC, facts['start_ns'] - SEC, 0, facts['end_ns'])
        wanted = busy['samples_at_zero']
        self.expect(f'{label}: GPU {gpu}: {zeros} samples at 0 %, {wanted} or one more at its border',
                    wanted <= zeros <= wanted + 1, True)
        low, high = self.row("""SELECT busy_min_ns, busy_max_ns FROM gpu_phase JOIN device AS d ON d.id = device_id
                                WHERE label = ? AND gpu_phase.start_ns IS NULL AND number = ?""", label, gpu)
        self.expect(f'{label}: GPU {gpu}: busy {busy["busy_ns"]} within [{low}, {high}]',
                    low <= busy['busy_ns'] <= high, True)

    def processes(self):
        for role, key in (('gpu-worker', 'workers'), ('data-loader', 'loaders')):
            got = [pid for pid, in self.db.execute(
                'SELECT pid FROM process WHERE role = ? ORDER BY pid', (role,))]
            self.expect(role, got, self.facts[key])


def main(database, truth):
    checker = Truth(database, truth)
    checker.sources()
    checker.clocks(checker.facts['boot_epoch_ns'], checker.facts['utc_offset_s'])
    checker.calls()
    checker.nothing_twice()
    checker.block('block I/O', checker.facts['block'])
    checker.stall()
    checker.anonymous()
    checker.phases()
    checker.processes()
    print(f'{checker.checks} facts, {checker.failures} wrong')
    return 1 if checker.failures else 0


sys.exit(main(*sys.argv[1:]))
