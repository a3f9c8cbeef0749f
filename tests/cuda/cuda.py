#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libtracedb-cuda.so in a program whose CUPTI is made up (fake-cupti.c): what it tells is what the program had it told.

usage: cuda.py PROGRAM LIBRARY FOLDER-OF-THE-FAKE [TRACEDB]     with TRACEDB: also through 'tracedb record --cuda' into a database"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from ring import Ring

PROGRAM, LIBRARY, FAKE = sys.argv[1:4]
SECOND = 10**9
# as work() of program.c: kind, start, length, bytes, device, stream, correlation, name (or number)
OPS = [
    ('kernel', 20000, 3000, 0, 0, 7, 11, 'gemm'),
    ('copy', 40000, 7000, 4096, 0, 7, 12, 1),
    ('set', 50000, 500, 64, 0, 7, 13, 0),
    ('kernel', 60000, 1000, 0, 1, 7, 14, 'relu'),
    ('kernel', 62000, 1100, 0, 1, 7, 15, 'relu'),
]
CALLS = [('cudaLaunchKernel', 0, 5000, 11, 0), ('cudaMemcpy', 30000, 40000, 12, 0), ('cudaGraphLaunch', 72000, 1000, 18, 700)]


def check(holds, *what):
    if not holds:
        raise SystemExit(f'{what}')


def run(what='plain', fake='', beside='', more=None):
    """Words that the program printed, and the rings."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, 'CUDA_INJECTION64_PATH': LIBRARY, 'LD_PRELOAD': f'{LIBRARY} {beside}', 'LD_LIBRARY_PATH': FAKE, 'FAKE_CUPTI': fake,
               'TRACEDB_CUDA_DIR': folder, **(more or {})}
        done = subprocess.run([PROGRAM, what], env=env, capture_output=True, text=True, check=False)
        check(done.returncode == (-6 if what == 'kill' else 0), what, done)
        check(done.stderr == '', 'it prints nothing', done.stderr)
        files = list(Path(folder).iterdir())
        for path in files:
            check(path.stat().st_mode & 0o777 == 0o600, 'others cannot read it')
        return dict(line.split() for line in done.stdout.splitlines()), [Ring(path) for path in files]


def told(ring, begin):
    """The names of C++ are plain only where the program has its library (test_names)."""
    ops = [(op.kind, op.start - begin, op.end - op.start, op.bytes, op.device, op.stream, op.correlation,
            'gemm' if op.what in ('_Z4gemmPfi', 'gemm(float*, int)') else op.what) for op in ring.ops]
    return ops, [(call.name, call.start - begin, call.end - call.start, call.correlation, call.result) for call in ring.calls]


def whole(said, rings, more=0):
    check(len(rings) == 1, rings)
    ops, calls = told(rings[0], int(said['begin']))
    check(ops[:len(OPS)] == OPS and (more or len(ops) == len(OPS)), ops)
    check(calls == CALLS, calls)
    check(rings[0].short_calls == 1, rings[0].short_calls)
    return rings[0]


def test_plain():
    said, rings = run()
    ring = whole(said, rings)
    check(ring.made == {'kernels': 3, 'copies': 1, 'sets': 1, 'calls': 3, 'nvtx': 0, 'memory': 0}, ring.made)
    check(ring.lost == {'kernels': 0, 'copies': 0, 'sets': 0, 'calls': 0, 'nvtx': 0, 'memory': 0}, ring.lost)
    check(not ring.notes, ring.notes)


def test_rank():
    """As torchrun says it; a job of one rank has none."""
    for world, ranks in (('8', [3]), ('1', [])):
        said, rings = run(more={'RANK': '3', 'WORLD_SIZE': world})
        check(whole(said, rings).ranks == ranks, world, rings[0].ranks)


def test_names():
    _, rings = run(beside='libstdc++.so.6')
    check([op.what for op in rings[0].ops if op.kind == 'kernel'] == ['gemm(float*, int)', 'relu', 'relu'], rings[0].ops)


def test_fork():
    whole(*run('fork'))


def test_closed():
    """By a program that closes what it has not opened: also where the library is not preloaded, so that CUDA alone holds it."""
    whole(*run('close'))
    whole(*run('close', more={'LD_PRELOAD': ''}))


def test_no_folder():
    """A container that has not the recorder's folder: the program goes on, and prints nothing."""
    with tempfile.TemporaryDirectory() as empty:
        _, rings = run(more={'TRACEDB_CUDA_DIR': f'{empty}/gone'})
    check(not rings, rings)


def test_killed():
    whole(*run('kill'))


def test_memory():
    """Allocations as they come; what fails is told however short it was, but for what is only not ready yet."""
    said, rings = run('memory')
    begin, ring = int(said['begin']), rings[0]
    check([(m.time - begin, m.bytes, m.kind, m.freed) for m in ring.memory] ==
          [(1000, 4096, 3, False), (5000, 1024, 3, True), (3000, 1024, 3, False), (4000, 512, 2, False), (6000, 64, 1, False)], ring.memory)
    calls = [(call.name, call.start - begin, call.end - call.start, call.correlation, call.result) for call in ring.calls]
    check(calls[:3] == CALLS and calls[3:] == [('cudaMalloc', 8000, 500, 31, 2), ('cuMemCreate', 9000, 300, 32, 2), ('cuLaunchKernel', 11000, 2000, 34, 0),
                                               ('cuGraphLaunch', 15000, 2000, 36, 0), ('cuStreamSynchronize', 18000, 2000, 37, 0)], calls)
    check(not [op for op in ring.ops if op.kind == 'graph'], 'nobody has asked for graphs as a whole')


def test_graphs():
    said, rings = run('memory', more={'TRACEDB_CUDA_GRAPHS': 'graph'})
    graphs = [(op.start - int(said['begin']), op.end - op.start, op.correlation, op.what) for op in rings[0].ops if op.kind == 'graph']
    check(graphs == [(16000, 700, 36, 5)], graphs)


def test_all_calls():
    """A CUPTI that lets nobody choose: what was not asked for comes, too."""
    said, rings = run(fake='all-calls')
    _, calls = told(rings[0], int(said['begin']))
    check(calls == [*CALLS, ('cudaGetLastError', 75000, 2000, 19, 0)], calls)


def test_full():
    """Nobody empties the ring: what fits is there, the rest is counted, and the program goes on."""
    said, rings = run('many')
    ring = whole(said, rings, more=True)
    check(ring.made['kernels'] == 400003, ring.made)
    kept = sum(op.kind == 'kernel' for op in ring.ops)
    check(200000 < kept < 400003 and ring.lost['kernels'] == 400003 - kept, kept, ring.lost)


def test_own_clock():
    """Its clock is a second ahead of the program's: times come back on CLOCK_BOOTTIME, within what two readings take."""
    said, rings = run(fake='own-clock')
    first = rings[0].ops[0]
    off = first.start - (int(said['begin']) - SECOND + OPS[0][1])
    check(abs(off) < 5 * 10**6, off)
    check(first.end - first.start == OPS[0][2], first)


def test_refused():
    for fake, words in (('old', 'CUDA 11.6 is needed'), ('taken', 'profiled by another tool'), ('broken', 'error 15')):
        _, rings = run(fake=fake)
        check(not rings[0].ops and not rings[0].calls, fake)
        check([kind for kind, _ in rings[0].notes] == ['cuda-not-recorded'] and words in rings[0].notes[0][1], rings[0].notes)
        check(len(rings[0].unseen) == 1, 'that nothing is known of the process is said')


def test_profiles_itself():
    """What came before is there, what comes after is the profiler's."""
    said, rings = run('profile')
    ring = whole(said, rings)
    check(said['taken'] == '1', said)
    check(len(ring.ops) == len(OPS), ring.ops)
    check([kind for kind, _ in ring.notes] == ['cuda-stopped'], ring.notes)
    check(len(ring.unseen) == 1 and max(op.end for op in ring.ops) < ring.unseen[0], 'from then on nothing is known', ring.unseen)


def test_profiled_unseen():
    """Found out at the end: what was with CUPTI then did not come back."""
    said, rings = run('profile-unseen')
    ring = whole(said, rings)
    check([kind for kind, _ in ring.notes] == ['cuda-stopped'] and 'another tool' in ring.notes[0][1], ring.notes)
    check(len(ring.unseen) == 1 and ring.unseen[0] >= int(said['begin']), ring.unseen)


def test_profiled_already():
    """Whoever has the records keeps them: the program's three kernels come to it, after its own."""
    said, rings = run('profile-first')
    check(said['taken-in-all'] == '4', said)
    check(not rings[0].ops and [kind for kind, _ in rings[0].notes] == ['cuda-not-recorded'], rings[0].notes)


def record_profiled(tracedb, db):
    """From when on the program profiles itself nothing is concluded from the records of before."""
    done = subprocess.run([tracedb, 'record', '--cuda', '--force', '-o', db, '--', PROGRAM, 'profile'], capture_output=True, text=True, check=False,
                          env={**os.environ, 'LD_LIBRARY_PATH': FAKE})
    check(done.returncode == 0 and 'profiles itself' in done.stderr, done)
    rows = sqlite3.connect(db)
    (start, length), = rows.execute("SELECT start_ns, dur_ns FROM span WHERE kind_id = (SELECT id FROM string WHERE text = 'unrecorded')")
    told, = rows.execute("""SELECT sum(g.basis = 'exact'), sum(s.start_ns < ? AND s.start_ns + s.dur_ns > ?) FROM gpu_segment AS g
        JOIN segment AS s ON s.start_ns = g.start_ns""", (start + length, start)).fetchall()
    check(length > 0 and told[0] > 0 and told[1] == 0, start, length, told)


def record_unseen(tracedb, db):
    """In a container that has a /dev/shm of its own nothing is told, and that this may be so is said."""
    done = subprocess.run(['unshare', '-m', 'true'], capture_output=True, check=False)
    if done.returncode:
        print('a mount namespace cannot be made here')
        return
    hidden = f'mount -t tmpfs none /dev/shm && exec {PROGRAM}'
    done = subprocess.run([tracedb, 'record', '--cuda', '--force', '-o', db, '--', 'unshare', '-m', 'sh', '-c', hidden], capture_output=True, text=True, check=False,
                          env={**os.environ, 'LD_LIBRARY_PATH': FAKE})
    check(done.returncode == 0 and "none that did sees '/dev/shm/tracedb-cuda-" in done.stderr, done)


def record_mps(tracedb, db):
    """With a process of the name that MPS's server has."""
    with tempfile.TemporaryDirectory() as folder:
        server = shutil.copy(shutil.which('sleep'), f'{folder}/nvidia-cuda-mps-server')
        with subprocess.Popen([server, '60']) as process:
            done = subprocess.run([tracedb, 'record', '--cuda', '--force', '-o', db, '--', PROGRAM], capture_output=True, text=True, check=False,
                                  env={**os.environ, 'LD_LIBRARY_PATH': FAKE})
            process.terminate()
    check(done.returncode == 0 and 'GPUs are shared through MPS' in done.stderr, done)
    rows = sqlite3.connect(db)
    check(rows.execute("SELECT count(*) FROM issue_count WHERE kind = 'gpu-mps'").fetchone() == (1,), 'it is noted')


def record_sampled(tracedb, db):
    """Samples of NVML beside kernels: the first one's period begins before the recording, which does not make the whole less exact."""
    done = subprocess.run([tracedb, 'record', '--cuda', '--gpu', '--force', '-o', db, '--', 'sh', '-c', f'{PROGRAM}; sleep 1.5'], capture_output=True,
                          text=True, check=False, env={**os.environ, 'LD_LIBRARY_PATH': f'{FAKE}:{Path(FAKE).parent}/fake-nvml'})
    check(done.returncode == 0, done)
    rows = sqlite3.connect(db)
    samples, = rows.execute("SELECT count(*) FROM sample WHERE track_id IN (SELECT id FROM track WHERE name = 'gpu.sm')").fetchone()
    of_run = rows.execute("SELECT DISTINCT basis FROM gpu_phase WHERE label = '(run)'").fetchall()
    check(samples > 2 and of_run == [('exact',)], samples, of_run)


def test_record(tracedb):
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / 'run.db'
        done = subprocess.run([tracedb, 'record', '--cuda', '-o', db, '--', PROGRAM], capture_output=True, text=True, check=False,
                              env={**os.environ, 'LD_LIBRARY_PATH': FAKE})
        if done.returncode == 3 and 'cannot' in done.stderr and not db.exists():
            print(done.stderr)
            return 77
        check(done.returncode == 0, done)
        check(not list(Path('/dev/shm').glob('tracedb-cuda-*')), 'the folder is gone')
        rows = sqlite3.connect(db)
        offset, = rows.execute("SELECT clock_offset_ns FROM source WHERE importer = 'record'").fetchone()
        begin = int(done.stdout.split()[1]) + offset
        found = rows.execute("""SELECT k.text, g.start_ns - ?, g.dur_ns, n.text, d.number, g.stream, g.correlation, g.bytes FROM gpu_op AS g
            JOIN string AS k ON k.id = g.kind_id JOIN string AS n ON n.id = g.name_id JOIN device AS d ON d.id = g.device_id
            ORDER BY g.start_ns""", (begin,)).fetchall()
        names = {'copy': '[CUDA memcpy Host-to-Device]', 'set': '[CUDA memset]'}
        expected = [(kind, start, length, names.get(kind) or {'gemm': '_Z4gemmPfi'}.get(name, name), device, stream, correlation,
                     count if kind in ('copy', 'set') else None)
                    for kind, start, length, count, device, stream, correlation, name in sorted(OPS, key=lambda op: op[1])]
        check(found == expected, found)
        calls = rows.execute("""SELECT o.name, c.start_ns - ?, c.dur_ns, -c.ret FROM call AS c JOIN op AS o ON o.id = c.op_id
            WHERE o.layer = 'cuda' ORDER BY c.start_ns""", (begin,)).fetchall()
        check(calls == [(name, start, length, result) for name, start, length, _, result in CALLS], calls)
        lost = dict(rows.execute("SELECT name, sum(lost) FROM loss WHERE name LIKE 'cuda-%' GROUP BY name"))
        check(lost == {'cuda-kernels': 0, 'cuda-copies': 0, 'cuda-sets': 0, 'cuda-calls': 0}, lost)
        rows.close()
        record_profiled(tracedb, db)
        record_sampled(tracedb, db)
        record_unseen(tracedb, db)
        record_mps(tracedb, db)
    return 0


SPOILS = """
import os, struct
folder = os.environ['TRACEDB_CUDA_DIR']
def ring(name, data, written):
    head = struct.pack('<8sIIQQQQQ', b'tdcuda', 4, os.getpid(), 16 << 20, written, 0, 0, 1)
    with open(f'{folder}/{name}.new', 'wb') as f:
        f.write(head.ljust(4096, bytes(1)) + data)
        f.truncate(4096 + (16 << 20))
    os.rename(f'{folder}/{name}.new', f'{folder}/{name}.ring')
# a process (kind 4) that is none, as the recorder itself tells of them; a record without a size; more than there can be
forged = struct.pack('<HBBIQQIIIIHHI', 64, 4, 0, 4711, 1, 0, 1, 0, 0, 0, 6, 0, 0) + b'forged'
ring('1', forged.ljust(64, bytes(1)), 64)
ring('2', bytes(64), 64)
ring('3', b'', 1 << 60)
os.symlink('/etc/passwd', f'{folder}/4.ring')
os.mkfifo(f'{folder}/5.ring')
"""


def test_record_spoilt(tracedb):
    """What a program writes into its ring that is not of the library counts for nothing, and is said."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / 'run.db'
        done = subprocess.run([tracedb, 'record', '--cuda', '-o', db, '--', sys.executable, '-c', SPOILS], capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0 and "3 of the command's processes wrote over what they had to tell" in done.stderr, done)
        rows = sqlite3.connect(db)
        check(not rows.execute("SELECT * FROM process WHERE pid = 4711 OR name = 'forged'").fetchall(), 'forged')
        said = rows.execute("SELECT count FROM issue_count WHERE kind = 'cuda-spoilt'").fetchall()
        check(said == [(1,)], said)
        check(not list(Path('/dev/shm').glob('tracedb-cuda-*')), 'the folder is gone')


if len(sys.argv) > 4:
    status = test_record(sys.argv[4])
    if status == 0:
        test_record_spoilt(sys.argv[4])
    sys.exit(status)
for name, test in list(globals().items()):
    if name.startswith('test_') and not name.startswith('test_record'):
        print(name, flush=True)
        test()
