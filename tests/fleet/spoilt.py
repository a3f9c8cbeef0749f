#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many databases, some of which cannot be read, each in another way, at random places among the others: the merged report is that of the others, and names each that is left out.

usage: spoilt.py TRACEDB [SEED]

Databases of one version are read by one connection, one after the other: what is wrong with one must not show in the next."""
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

GOOD = 40
REPORTS = ('osrt_sum', 'file_io', 'sync_sum')


def run(*args, limit=None):
    """limit: bytes that a file may have, as on a disk that is full."""
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = subprocess.run([str(a) for a in args], capture_output=True, check=False, text=True, timeout=300, preexec_fn=full if limit is not None else None,
                          restore_signals=False)  # that of a file that gets too long stays ignored: it is an error of write()
    done.args = done.args[:4]  # not all databases, when it is printed
    return done


def make(tracedb, folder, i, rng):
    """A run of its own, as strace prints it."""
    logs = folder / f'logs{i}'
    logs.mkdir()
    lines, now = [], 1_700_000_000 + 100 * i
    for k in range(rng.randint(20, 60)):
        now += rng.random() / 100
        n = rng.choice((0, 512, 4096))
        lines.append(f'{100 + k % 2} {now:.6f} read(3</data/part{rng.randrange(5)}.bin>, "", 4096) = {n} <0.{rng.randrange(1000):06}>\n')
    lines.append(f'100 {now + 1:.6f} fsync(3</data/part0.bin>) = 0 <{rng.random():.6f}>\n')
    (logs / 'calls.txt').write_text(''.join(lines))
    db = folder / f'node{i:03}.db'
    done = run(tracedb, 'import', '-q', '-o', db, logs)
    assert done.returncode == 0, done.stderr
    return db


def overwrite_table(path, table):
    """Its pages become noise."""
    db = sqlite3.connect(path)
    size, pages = db.execute('PRAGMA page_size').fetchone()[0], [p for p, in db.execute('SELECT pageno FROM dbstat WHERE name = ?', (table,))]
    db.close()
    with open(path, 'r+b') as f:
        for page in pages:
            f.seek((page - 1) * size)
            f.write(random.Random(page).randbytes(size))


def execute(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.commit()
    db.close()


def spoil(folder, good):
    """Those that cannot be read, by what is wrong with them; and what holds the lock."""
    bad = {}

    def new(why, copy=True):
        bad[why] = folder / f'{why}.db'
        if copy:
            shutil.copy(good, bad[why])
            execute(bad[why], f"UPDATE run SET name = '{why}'; UPDATE source SET hash = '{why}'")
        return bad[why]
    for why, copy in (('missing', False), ('empty', False), ('text', False), ('folder', False), ('pipe', False), ('foreign', False)):
        new(why, copy)
    bad['empty'].write_bytes(b'')
    bad['text'].write_text('no database at all\n' * 1000)
    bad['folder'].mkdir()
    os.mkfifo(bad['pipe'])
    execute(bad['foreign'], 'CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    os.truncate(new('cut'), bad['cut'].stat().st_size // 2)
    overwrite_table(new('noise'), 'op_stat')
    # has what tells it from others, and so is taken for the good one, until its processes are read
    bad['twin'] = Path(shutil.copy(good, folder / 'twin.db'))
    overwrite_table(bad['twin'], 'process')
    execute(new('older'), 'PRAGMA user_version = 1')
    execute(new('newer'), 'PRAGMA user_version = 9999')
    execute(new('stripped'), 'DROP TABLE op_stat')
    lock = sqlite3.connect(new('locked'), isolation_level=None)
    lock.execute('BEGIN EXCLUSIVE')
    return bad, lock


def odd_but_good(folder, dbs):
    """What can be read, though it looks otherwise: distributions that are damaged are not used, and a log that lies beside is part of the database."""
    for table in ('file_hist', 'op_hist'):
        execute(dbs[1], f"UPDATE {table} SET durations = x'80'")
        execute(dbs[2], f'DELETE FROM {table}')
    log = sqlite3.connect(dbs[3])
    log.execute('PRAGMA journal_mode = WAL')
    log.execute('UPDATE run SET bin_ns = bin_ns')
    log.commit()
    return log


def wrong_of(tracedb, folder, rng):
    dbs = [make(tracedb, folder, i, rng) for i in range(GOOD)]
    want = {report: run(tracedb, 'report', report, '--merged', '-f', 'json', *dbs) for report in REPORTS}
    bad, lock = spoil(folder, dbs[0])
    log = odd_but_good(folder, dbs)
    shutil.copy(dbs[5], folder / 'copy.db')
    (folder / 'link.db').symlink_to(dbs[6])
    assert run(tracedb, 'import', '-q', '-o', folder / 'again.db', folder / 'logs8').returncode == 0
    twice = [folder / 'copy.db', folder / 'link.db', folder / 'again.db', dbs[7]]
    every = [*dbs, *bad.values(), *twice]
    rng.shuffle(every)
    for report in REPORTS:
        assert want[report].returncode == 0 and json.loads(want[report].stdout), want[report]
        got = run(tracedb, 'report', report, '--merged', '--keep-going', '-f', 'json', *every)
        if got.returncode != 4 or got.stdout != want[report].stdout:
            yield f'{report}: {got.returncode}, another report than that of those that can be read: {got.stderr}'
        for why, path in bad.items():
            if not re.search(rf"{why}\.db", got.stderr):
                yield f'{report}: nobody says that {path.name} is left out'
        if got.stderr.count('counted once') != len(twice):
            yield f'{report}: {len(twice)} are given twice: {got.stderr}'
        stopped = run(tracedb, 'report', report, '--merged', '-f', 'json', *every)
        if stopped.returncode != 3 or stopped.stdout or not any(f'{why}.db' in stopped.stderr for why in bad):
            yield f'{report}: goes on without --keep-going: {stopped}'
        for why, path in bad.items():
            alone = run(tracedb, 'report', report, '--merged', dbs[8], path, dbs[9])
            if alone.returncode != 3 or f'{why}.db' not in alone.stderr:
                yield f'{report}: {why}: {alone}'
        yield from wrong_when_full(tracedb, folder, report, dbs)
    late = run(tracedb, 'report', 'osrt_sum', '--merged', '--keep-going', '--expect', GOOD + len(bad) + 2, *every)
    told = re.search(r'databases: (\d+) of (\d+); could not be read: \S+, \S+, \S+ and (\d+) more; (\d+) did not answer', late.stdout)
    if late.returncode != 4 or not told or tuple(map(int, told.groups())) != (GOOD, GOOD + len(bad) + 2, len(bad) - 3, 2):
        yield f'two that did not answer: {late}'
    lock.close()
    log.close()


def wrong_when_full(tracedb, folder, report, dbs):
    """Nothing is written, and what was there before stays."""
    for options, limit in (('--partial', 100), ('--merged', 10)):
        out = folder / 'before'
        out.write_text('as it was')
        done = run(tracedb, 'report', report, options, '-o', out, *dbs, limit=limit)
        if done.returncode != 3 or out.read_text() != 'as it was' or list(folder.glob('.*before*')) + list(folder.glob('before?*')):
            yield f'{report} {options}: a full disk: {done}, {out.read_text()!r}'


def main():
    tracedb, seed = os.path.abspath(os.environ.get('TRACEDB_PLAIN', sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as name:
        found = list(wrong_of(tracedb, Path(name), random.Random(seed)))
    for text in found[:10]:
        print(f'seed {seed}: {text[:2000]}')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
