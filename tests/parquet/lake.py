#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""queries/lake/*.sql, of several runs in one lake, against what 'tracedb report' says of each database.

usage: lake.py TRACEDB QUERIES ENGINE SCRIPT NODE-MODULES INPUT...     ENGINE: duckdb or clickhouse; INPUT: imported, one run each
"""
import errno
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
MODULE = {'duckdb': '@duckdb/node-api', 'clickhouse': 'chdb'}


def statements(path):
    """What a file of SQL has, each in one line, without comments."""
    text = ' '.join(line for line in path.read_text().splitlines() if not line.lstrip().startswith('--'))
    return [s.strip() for s in text.split(';') if s.strip()]


def output_columns(statement):
    """Names of the columns of the last SELECT: each of its lines ends in one."""
    depth, last = 0, 0
    for at, c in enumerate(statement):
        depth += (c == '(') - (c == ')')
        if depth == 0 and statement.startswith('SELECT ', at):
            last = at
    names, depth, word = [], 0, ''
    for at in range(last + len('SELECT '), len(statement)):
        depth += (statement[at] == '(') - (statement[at] == ')')
        if depth == 0 and (statement[at] == ',' or statement.startswith(' FROM ', at)):
            names.append(word.split()[-1])
            word = ''
            if statement[at] == ' ':
                return names
        else:
            word += statement[at]
    raise ValueError(statement)


def run_engine(engine, script, modules, folder, queries):
    environment = {**os.environ, 'NODE_PATH': os.path.abspath(modules)}
    done = subprocess.run(['node', os.path.abspath(script)], input='\n'.join(queries), env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{engine}: {done.stderr}')
    return [json.loads(line)[1] for line in done.stdout.splitlines()]


def report(tracedb, name, database, modes):
    done = subprocess.run([tracedb, 'report', name, '-f', 'json', *modes, database], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return None  # this run has nothing that it asks for
    return json.loads(done.stdout or '[]')


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def alike(got, want):
    if got is None or want is None:
        return got is want
    if isinstance(want, (int, float)) and number(got) is not None:
        # whole numbers are the same; means and shares but for the last digits of a double
        return int(got) == want if isinstance(want, int) and '.' not in got and 'e' not in got else math.isclose(float(got), want, rel_tol=1e-9)
    return got == str(want)


def key(row):
    """Rows in one order, whatever the way numbers are written: by text, and then by numbers."""
    texts = [str(v) if number(v) is None else '' for v in row]
    return texts, [f'{number(v):.6e}' for v in row if number(v) is not None]


# Of calls that a signal interrupts, include/linux/errno.h: programs never see them.
SIGNALLED = {'ERESTARTSYS': 512, 'ERESTARTNOINTR': 513, 'ERESTARTNOHAND': 514, 'ERESTART_RESTARTBLOCK': 516}


def wanted(rows, columns):
    """Of the report what the query has; it knows errors by their numbers only, and no lines that are text."""
    result = []
    for row in rows:
        if row.get('unit', '') is None:
            continue
        if 'errno' in columns:
            row = {**row, 'errno': getattr(errno, row['error'], None) or SIGNALLED.get(row['error']) or int(row['error'])}
        missing = [c for c in columns if c not in row]
        if missing:
            sys.exit(f'the report has no column {missing}')
        result.append([row[c] for c in columns])
    return sorted(result, key=key)


# No run of the test data has syncs that end.
SYNCS = """\
7001  1700000000.100000 openat(AT_FDCWD, "/data/ckpt.pt", O_WRONLY|O_CREAT, 0644) = 3 <0.000100>
7001  1700000000.200000 write(3, "x"..., 4096) = 4096 <0.000050>
7001  1700000000.300000 fsync(3) = 0 <0.030000>
7001  1700000000.400000 fsync(3) = 0 <0.010000>
7001  1700000000.500000 fdatasync(3) = -1 EIO (Input/output error) <0.002000>
7002  1700000000.600000 fsync(4) = 0 <0.005000>
"""


# A second tool that looks at the CPUs of a machine while iostat does, and after it.
MPSTAT = """\
Linux 6.1.0 (box) \t2026-11-20 \t_x86_64_\t(2 CPU)

11:26:36     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
11:26:37     all    3.00    0.00    1.00    0.50    0.00    0.50    0.00    0.00    0.00   95.00
11:26:38     all    9.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00
11:26:39     all   40.00    0.00   10.00    5.00    0.00    0.00    0.00    0.00    0.00   45.00
"""


# Four GPUs, which an overview has in one line.
PMON = '#Date       Time        gpu        pid  type    sm   mem   enc   dec   command\n' \
       '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %   name\n' + ''.join(
           f' 20261120   11:26:{30 + s:02}      {g}       7001     C    {20 * g + s % 10:2}     3     -     -   python\n' for s in range(20) for g in range(4))


class Lake:
    """Several databases and the lake of them."""

    def __init__(self, tracedb, scratch, inputs):
        self.tracedb, self.folder, self.databases = tracedb, scratch, {}
        for i, path in enumerate(inputs):
            # names that are alike, in folders of their own: the run ids must tell them apart
            database = f'{scratch}/{i}/run.db'
            os.mkdir(f'{scratch}/{i}')
            done = subprocess.run([tracedb, 'import', '-q', '-o', database, path], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 4):  # 4: a recording that was cut
                sys.exit(f'{path}: {done.stderr}')
            self.databases[self.export(database)] = database
        assert len(self.databases) == len(inputs), 'two databases have one run id'
        again = next(iter(self.databases.values()))
        assert subprocess.run([tracedb, 'export', again, '--to', f'parquet={scratch}/lake'], capture_output=True, check=False).returncode, \
            'a run was replaced without --force'
        before = self.files()
        assert self.export(again, '--force') in self.databases, 'a run has another id when it is exported again'
        assert self.files() == before, 'a run that is exported again has other files'

    def export(self, database, *options):
        done = subprocess.run([self.tracedb, 'export', *options, database, '--to', f'parquet={self.folder}/lake'],
                              capture_output=True, text=True, check=True)
        return done.stderr.strip().split('run=')[-1]

    def files(self):
        return sorted(str(p) for p in Path(f'{self.folder}/lake').rglob('*') if p.is_file())


def check(lake, name, columns, got):
    failed = rows = 0
    for run, database in lake.databases.items():
        mine = sorted(([str(v) if v is not None else None for v in row[1:]] for row in got if row[0] == run), key=key)
        answer = report(lake.tracedb, name, database, ['--limit', 'all'] if 'limit' in Path(f'{QUERIES}/../{name}.sql').read_text() else [])
        want = wanted(answer or [], columns[1:])
        bad = [(g, w) for g, w in zip(mine, want) if not all(map(alike, g, w))]
        for g, w in bad[:2]:
            print(f'{name}, run {run}:\n    {g}\n    want {w}')
        if len(mine) != len(want):
            print(f'{name}, run {run}: {len(mine)} rows, want {len(want)}')
        failed += len(bad) + (len(mine) != len(want))
        rows += len(want)
    known = set(lake.databases)
    failed += sum(row[0] not in known for row in got)
    return failed, rows


def check_sqlite(script, modules, lake):
    """ClickHouse on the databases themselves: the recipe of docs/LAKE.md, all of them as one table and whole 64-bit times."""
    parts = [f"SELECT op_id, toInt64(calls) AS calls, toInt64(dur_ns) AS dur_ns, toInt64(last_ns) AS last_ns FROM sqlite('{db}', "
             "(SELECT op_id, count(*) AS calls, coalesce(sum(dur_ns), 0) AS dur_ns, max(start_ns) AS last_ns FROM call GROUP BY op_id))"
             for db in lake.databases.values()]
    got = run_engine('clickhouse', script, modules, lake.folder,
                     [f"SELECT sum(calls), sum(dur_ns), max(last_ns) FROM ({' UNION ALL '.join(parts)})",
                      *[f"SELECT count(), max(start_ns) FROM sqlite('{db}', 'call')" for db in lake.databases.values()]])
    each = []
    for path in lake.databases.values():
        with sqlite3.connect(f'file:{path}?mode=ro', uri=True) as db:
            each.append(db.execute('SELECT count(*), coalesce(sum(dur_ns), 0), max(start_ns) FROM call').fetchone())
    want = [[[str(sum(e[0] for e in each)), str(sum(e[1] for e in each)), str(max(e[2] or 0 for e in each))]],
            *[[[str(e[0]), str(e[2] or 0)]] for e in each]]  # it says 0 of no rows
    if got != want:
        print(f'sqlite(): {got}, want {want}')
    return got != want


def main(tracedb, queries, engine, script, modules, *inputs):
    global QUERIES  # pylint: disable=global-statement
    QUERIES = queries
    tracedb = os.environ.get('TRACEDB_PLAIN', tracedb)
    if not shutil.which('node') or not os.path.isdir(f'{modules}/{MODULE[engine]}'):
        print(f'skipped: there is no node, or no {MODULE[engine]} in {modules}')
        return SKIP
    paths = sorted(p for p in Path(queries).glob('*.sql') if p.stem != 'baseline')  # baseline.py
    asked = [statements(p)[0] for p in paths]
    baseline = statements(Path(queries) / 'baseline.sql')[0]
    views = statements(Path(queries) / 'tables' / f'{engine}.sql')
    failed = 0
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        syncs = Path(f'{scratch}/syncs.txt')
        syncs.write_text(SYNCS)
        cpus = Path(f'{scratch}/cpus')
        cpus.mkdir()
        (cpus / 'mpstat.txt').write_text(MPSTAT)
        shutil.copy(Path(__file__).parent.parent / 'data/iostat/iso.txt', cpus)
        gpus = Path(f'{scratch}/pmon.txt')
        gpus.write_text(PMON)
        logs = Path(__file__).parent.parent / 'data/mllog/two-runs.log'
        lake = Lake(tracedb, scratch, [*inputs, syncs, cpus, gpus, logs])
        *results, history = run_engine(engine, script, modules, scratch, views + asked + [baseline])[len(views):]
        for path, sql, got in zip(paths, asked, results):
            bad, rows = check(lake, path.stem, output_columns(sql), got)
            if not rows:
                print(f'{path.stem}: no run has a row of it')
            failed += bad + (not rows)
        if history:
            print(f'baseline.sql: so few runs tell nothing, but not {history}')
            failed += 1
        if engine == 'clickhouse':
            failed += check_sqlite(script, modules, lake)
    print(f'{len(paths)} queries of {len(lake.databases)} runs by {engine}, {failed} failed')
    return 1 if failed or not paths else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
