#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the lanes of a timeline add up to, against the tables that the import derives: sums.py TRACEDB SOURCE... | corpus | ranks

Each source is a run, imported by itself; 'corpus' stands for those of $TRACEDB_CORPUS and beside it, 'ranks' for generated runs of two GPUs,
which two processes work on, or one (tests/gpu/planted.py). Bytes of the lanes of processes and disks are those of io_stat and of the requests; what a GPU
of which all kernels are known did and idled for is that of gpu_idle_part; of one that was sampled, what is surely put down to a cause is
no more than gpu_idle_part allows; the CPUs' means are those of the samples. Prints TAP. Skips without the page, whose data is read.
Of the corpus the first run is by TRACEDB, which may have sanitizers, the others by the program in $TRACEDB_PLAIN, if that is set and
has the page: runs of their layout are examples/stall, which is looked at, too."""

import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

NO_FILES = "('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')"
CAUSES = ('disk read', 'file read', 'file write', 'other file I/O')


def decode(values):
    """As the page does: null is not known, a number below 0 repeats the one before."""
    out = []
    for value in values:
        if value is not None and value < 0:
            out += [out[-1]] * -value
        else:
            out.append(math.nan if value is None else value)
    return out


def total(run, series):
    """Of the whole: values times the bins' widths."""
    return sum(v for v in decode(series['data'][0]) if not math.isnan(v)) * run['grids'][0][1]


def by_name(run, lane):
    return {series['name']: total(run, series) for series in lane['series']}


class Checks:
    def __init__(self, con, run):
        self.con, self.run, self.n = con, run, 0
        self.wrong = []

    def one(self, sql, *args):
        return self.con.execute(sql, args).fetchone()[0] or 0

    def near(self, what, got, want, least=0.0):
        """Four digits of each value are kept, so of a sum as well."""
        self.n += 1
        if abs(got - want) > 1e-3 * abs(want) + least:
            self.wrong.append('%s: %r, expected %r' % (what, got, want))

    def at_most(self, what, got, most):
        self.n += 1
        if got > most * 1.001 + 1:
            self.wrong.append('%s: %r, expected at most %r' % (what, got, most))

    def lanes(self, group):
        return [lane for lane in self.run['lanes'] if lane['group'] == group]

    def moved(self):
        for name, verb in (('read', 'read'), ('written', 'write')):
            got = sum(by_name(self.run, lane).get(name, 0) for lane in self.lanes('files')) / 1e9
            want = self.one("SELECT sum(done_bytes) FROM io_stat WHERE by = 'class,verb' AND verb = ? AND coalesce(class, '')"
                            ' NOT IN ' + NO_FILES, verb)
            self.near('bytes ' + name, got, want)
        for name, op in (('read', 0), ('written', 1)):
            got = sum(by_name(self.run, lane).get(name, 0) for lane in self.lanes('block')) / 1e9
            self.near('disks, ' + name, got, self.one('SELECT sum(bytes) FROM block_request WHERE op = ?', op))
        got = sum(by_name(self.run, lane)['opens'] for lane in self.lanes('opens')) / 1e9
        self.near('opens', got, self.one("SELECT sum(calls) FROM op_stat AS s JOIN op AS o ON o.id = s.op_id"
                                         " WHERE s.by = 'op' AND o.verb = 'open' AND o.kind = 'io'"))

    def waits(self, basis):
        """Of GPUs of that basis: cause to (at least, at most)."""
        rows = self.con.execute("SELECT i.device_id, i.cause, i.idle_min_ns, i.idle_max_ns FROM gpu_idle_part AS i WHERE i.label = '(run)'"
                                ' AND i.start_ns IS NULL AND i.run_number IS NULL AND i.basis = ?', (basis,))
        gpus = {}
        for device, cause, least, most in rows:
            gpus.setdefault(device, {})[cause] = (least, most)
        return gpus

    def gpus(self):
        lanes = {lane['id']: by_name(self.run, lane) for lane in self.lanes('gpu')}
        for device, causes in self.waits('exact').items():
            sums = lanes['gpu.%d' % device]
            rest = sum(most for cause, (_, most) in causes.items() if cause not in CAUSES)
            # a checkpoint in a log counts as a write, but is none of the calls
            checkpoint = self.one("SELECT count(*) FROM phases WHERE name LIKE 'checkpoint%'")
            for cause, want in (*((cause, causes.get(cause, (0, 0))[1]) for cause in CAUSES), ('no file I/O', rest)):
                if not checkpoint or cause in CAUSES[:2]:
                    self.near('GPU %d, %s' % (device, cause), sums.get('idle: ' + cause, 0), want, least=1e5)
            busy = self.one("SELECT busy_max_ns FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL"
                            ' AND device_id = ?', device)
            self.near('GPU %d, work' % device, sums['kernels'] + sums.get('copies and sets alone', 0), busy, least=1e5)
        for device, causes in self.waits('bounds').items():
            sums = lanes.get('gpu.%d.samples' % device, {})
            for cause in CAUSES:
                self.at_most('GPU %d, %s' % (device, cause), sums.get('idle: ' + cause, 0), causes.get(cause, (0, 0))[1])

    def cpus(self):
        for lane in self.lanes('cpu'):
            sums = by_name(self.run, lane)
            want = self.one("SELECT total(s.value * s.dur_ns) / 100 FROM sample AS s JOIN track AS t ON t.id = s.track_id"
                            " JOIN cpu_sampler AS c ON c.source_id = t.source_id AND c.device_id IS NULL AND c.precedence = 1"
                            " WHERE t.device_id IS NULL AND t.name IN ('cpu.usr', 'cpu.nice')")
            if self.one('SELECT count(*) FROM cpu_sampler WHERE device_id IS NULL') == 1:
                self.near('CPUs, user', sums['user'], want, least=1e6)


def has_page(tracedb, folder):
    """Is the page, which needs npm, in the program? x.db is the run before."""
    made = subprocess.run([tracedb, 'timeline', folder / 'x.db', '-o', folder / 'x.html'], check=False, capture_output=True, text=True)
    return 'built without the page' not in made.stderr


def look(tracedb, source, folder):
    db, page = folder / 'x.db', folder / 'x.html'
    subprocess.run([tracedb, 'import', '-q', '--force', '-o', db, *source.split(',')], check=False, stderr=subprocess.DEVNULL)
    made = subprocess.run([tracedb, 'timeline', db, '-o', page], check=False, capture_output=True, text=True)
    if 'built without the page' in made.stderr:
        print('1..0 # SKIP tracedb was built without npm')
        sys.exit(0)
    assert made.returncode == 0, made.stderr
    text = page.read_text(encoding='utf-8')
    data = json.loads(text.split('id="data">', 1)[1].split('</script>', 1)[0])
    con = sqlite3.connect(db)
    checks = Checks(con, data['runs'][0])
    checks.moved()
    checks.gpus()
    checks.cpus()
    con.close()
    return checks


def corpus():
    root = os.environ.get('TRACEDB_CORPUS')
    if not root:
        print('1..0 # SKIP TRACEDB_CORPUS is not set')
        sys.exit(0)
    folders = (*Path(root, 'runs').iterdir(), *Path(root).parent.glob('gpu/h*'))
    return [str(folder) for folder in sorted(folders) if folder.is_dir()]


def ranks(scratch):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'gpu'))
    from planted import Ranks
    for seed in range(2):
        for parties in (1, 2):
            folder = scratch / f'ranks-{seed}-{parties}'
            Ranks(seed, parties).write(folder)
            yield str(folder)


def main():
    tracedb, sources = Path(sys.argv[1]).resolve(), sys.argv[2:]
    others, failed = tracedb, 0
    if sources == ['corpus']:
        sources, others = corpus(), Path(os.environ.get('TRACEDB_PLAIN', tracedb))
    with tempfile.TemporaryDirectory() as scratch:
        if sources == ['ranks']:
            sources = list(ranks(Path(scratch)))
        for i, source in enumerate(sources, 1):
            checks = look(tracedb, source, Path(scratch))
            if i == 1 and has_page(others, Path(scratch)):
                tracedb = others
            failed += bool(checks.wrong)
            print('%s %d - %s: %d sums' % ('not ok' if checks.wrong else 'ok', i, Path(source).name, checks.n))
            for line in checks.wrong:
                print('# ' + line)
    print('1..%d' % len(sources))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
