#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVTX ranges and marks of a program that does by hand what NVTX's headers do (nvtx-program.c): what libtracedb-cuda.so tells of them.

usage: nvtx.py PROGRAM LIBRARY [TRACEDB]     with TRACEDB: also through 'tracedb record --cuda' into a database"""
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from ring import Ring

PROGRAM, LIBRARY = sys.argv[1:3]
# as marks() of nvtx-program.c; the last one has attributes of no version
WIDE = '\u00e4\u20ac\U0001f600'


def check(holds, *what):
    if not holds:
        raise SystemExit(f'{what}')


def run(what):
    """Lines that the program printed, and the ring."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, what], env={**os.environ, 'NVTX_INJECTION64_PATH': LIBRARY, 'TRACEDB_CUDA_DIR': folder},
                              capture_output=True, text=True, check=False)
        check(done.returncode == (-9 if what == 'kill' else 0), what, done)
        check(done.stderr == '', 'it prints nothing', done.stderr)
        rings = [Ring(path) for path in Path(folder).iterdir()]
        check(len(rings) == 1, rings)
        said = dict(line.split(' ', 1) for line in done.stdout.splitlines())
        check(said['initialized'] == '1 1 3', said)
        return said, rings[0]


def test_plain():
    said, ring = run('plain')
    # how deep a range is in its domain: whichever library pushed it, and of those that end, the last one of the domain; -1: there is none
    check(said['first'] == '0 1' and said['pops'] == '1 0 -1', said)
    check(said['levels'] == '0 0 1 0 1 0 -1', said)
    found = [(s.kind, s.text, s.domain, s.category, s.category_name) for s in ring.said]
    check(found == [
        ('push', 'step', '', 0, ''), ('push', 'inner', '', 0, ''), ('start', 'anywhere', '', 0, ''), ('thread', 'loader-1', '', 0, ''),
        ('push', 'outer', '', 0, ''), ('push', 'load', 'data', 7, 'disk'), ('push', 'decode', 'data', 8, ''),
        ('mark', 'plain', '', 0, '')] + 4 * [('mark', WIDE, '', 0, '')] + [('mark', '', '', 0, '')], found)
    payloads = [(s.payload_type, s.payload) for s in ring.said if s.payload_type]
    check(payloads == [(3, struct.pack('<d', 0.25)), (1, struct.pack('<Q', 9)), (2, struct.pack('<q', -1)), (4, struct.pack('<Q', 4000000000)),
                       (5, struct.pack('<Q', 0xfffffffe))], payloads)
    begins = {s.text: s for s in ring.said if s.kind in ('push', 'start')}
    ends = {text: ring.ends[s.range] for text, s in begins.items()}
    check(len(ring.ends) == 6, ring.ends)
    times = [begins['step'].time, begins['inner'].time, ends['inner'][1], ends['step'][1], begins['anywhere'].time, ends['anywhere'][1],
             begins['outer'].time, begins['load'].time, begins['decode'].time, ends['outer'][1], ends['decode'][1], ends['load'][1]]
    check(times == sorted(times) and int(said['begin']) <= times[0] and times[-1] <= int(said['end']), times, said)
    check(begins['anywhere'].tid == ring.pid and ends['anywhere'][0] == int(said['tid']), ring.pid, said)
    check([s.tid for s in ring.said if s.kind == 'thread'] == [int(said['tid'])], ring.said)
    check(ring.made['nvtx'] == 13 + 6 and ring.lost['nvtx'] == 0 and ring.uses_cuda == 0, ring.made, ring.lost)


def test_killed():
    """A range that was open is there."""
    _, ring = run('kill')
    check([s.text for s in ring.said] == ['open'] and not ring.ends, ring.said)


def test_deep():
    """Beyond 64 they are counted, and those below still end in their turn."""
    said, ring = run('deep')
    check(said['deepest'] == '-1' and said['popped'] == '0 -1', said)
    check(len(ring.said) == 64 and len(ring.ends) == 64, ring.said)
    check([ring.ends[s.range][1] for s in ring.said] == sorted((end for _, end in ring.ends.values()), reverse=True), ring.ends)
    check(ring.made['nvtx'] == 64 + 6 + 64 and ring.lost['nvtx'] == 6, ring.made, ring.lost)


def test_threads():
    _, ring = run('threads')
    for tid in {s.tid for s in ring.said}:
        ranges = [(s.text, s.time, ring.ends[s.range][1]) for s in ring.said if s.tid == tid]
        check([text for text, _, _ in ranges] == 1000 * ['a', 'b'], ranges)
        for outer, inner in zip(ranges[::2], ranges[1::2]):
            check(outer[1] <= inner[1] <= inner[2] <= outer[2], outer, inner)
    check(len(ring.said) == len(ring.ends) == 8000 and len({s.tid for s in ring.said}) == 4, len(ring.said))


def test_full():
    """Nobody empties the ring: what fits is whole, the rest is counted."""
    _, ring = run('many')
    check([s.text for s in ring.said] == [f'batch {i % 70000}' for i in range(len(ring.said))], ring.said[-1])
    check(70000 < len(ring.said) < 400000, len(ring.said))
    check(ring.made['nvtx'] == 400000 and ring.lost['nvtx'] == 400000 - len(ring.said), ring.lost)


def test_fork():
    """The child has no ring, and does not write into its parent's."""
    _, ring = run('fork')
    check(not ring.said and not ring.ends, ring.said)


def test_unasked():
    """Without a recorder it declines, so that NVTX goes on without it."""
    env = {name: value for name, value in os.environ.items() if name != 'TRACEDB_CUDA_DIR'}
    done = subprocess.run([PROGRAM], env={**env, 'NVTX_INJECTION64_PATH': LIBRARY}, capture_output=True, text=True, check=True)
    check('initialized 0 0 0\nfirst -2 -2\n' in done.stdout, done.stdout)


def test_record(tracedb):
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / 'run.db'
        done = subprocess.run([tracedb, 'record', '--cuda', '-o', db, '--', PROGRAM], capture_output=True, text=True, check=False)
        if done.returncode == 3 and 'cannot' in done.stderr and not db.exists():
            print(done.stderr)
            return 77
        check(done.returncode == 0 and 'no process of the command has used CUDA' in done.stderr, done)
        said = dict(line.split(' ', 1) for line in done.stdout.splitlines())
        rows = sqlite3.connect(db)
        tid = int(said['tid'])
        found = rows.execute("""SELECT n.text, s.number, a.text, t.tid, p.name FROM span AS s JOIN string AS n ON n.id = s.name_id
            JOIN string AS a ON a.id = s.args_id JOIN string AS k ON k.id = s.kind_id JOIN thread AS t ON t.id = s.thread_id
            JOIN process AS p ON p.id = s.process_id
            WHERE k.text = 'nvtx' AND s.dur_ns IS NOT NULL ORDER BY s.start_ns""").fetchall()
        name = Path(PROGRAM).name[:15]
        main = {row[3] for row in found}
        check(len(main) == 1 and main != {tid}, found)
        main = main.pop()
        pushed, domain = '{"style":"PushPop"}', '"domain":"data","category"'
        check(found == [('step', None, pushed, main, name), ('inner', None, pushed, main, name),
                        ('anywhere', None, '{"style":"StartEnd"}', main, name), ('outer', None, pushed, main, name),
                        ('load', None, '{"style":"PushPop","payload":0.25,' + domain + ':"disk"}', main, name),
                        ('decode', None, '{"style":"PushPop",' + domain + ':8}', main, name)], found)
        marks = rows.execute("""SELECT n.text, m.value FROM mark AS m JOIN string AS n ON n.id = m.name_id JOIN string AS a ON a.id = m.args_id
            WHERE a.text = '{"style":"Mark"}' ORDER BY m.ts_ns""").fetchall()
        check(marks == [('plain', None), (WIDE, 9), (WIDE, -1), (WIDE, 4000000000), (WIDE, -2), ('', None)], marks)
        check(rows.execute('SELECT name FROM thread WHERE tid = ?', (tid,)).fetchone() == ('loader-1',), tid)
        check(rows.execute("SELECT sum(generated), sum(lost) FROM loss WHERE name = 'nvtx'").fetchone() == (19, 0), 'loss')
        report = subprocess.run([tracedb, 'report', 'nvtx_sum', '-f', 'csv', '--columns', 'style,range,instances', db], capture_output=True, text=True,
                                check=True).stdout
        check(sorted(report.splitlines()[1:]) == ['PushPop,:inner,1', 'PushPop,:outer,1', 'PushPop,:step,1', 'PushPop,data:decode,1',
                                                  'PushPop,data:load,1', 'StartEnd,:anywhere,1'], report)
        kept = subprocess.run([tracedb, 'record', '--cuda', '--force', '-o', db, '--', PROGRAM], capture_output=True, text=True, check=True,
                              env={**os.environ, 'NVTX_INJECTION64_PATH': '/nonexistent/other.so'})
        check("NVTX_INJECTION64_PATH is set already, to '/nonexistent/other.so', and is kept: --cuda records no NVTX ranges" in kept.stderr, kept)
        check('initialized 0 0 0\n' in kept.stdout, kept)
    return 0


if len(sys.argv) > 3:
    sys.exit(test_record(sys.argv[3]))
for name, test in list(globals().items()):
    if name.startswith('test_') and name != 'test_record':
        print(name, flush=True)
        test()
