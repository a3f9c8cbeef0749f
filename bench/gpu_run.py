# SPDX-License-Identifier: MIT
"""Every report on a run of four GPUs: which ones are slow. Nothing to compare with."""
import statistics
import subprocess

from figures import DATA, ROOT, Measured, record, remove, warm
from nsys_tables import new_export

GPUS = 4
EPOCHS = 5
EPOCH_NS = 1711964646000000000
EACH_NS = 40000 # from a piece of work of a GPU to its next one
SHOWN = 12
# A pseudorandom number of row n for each use, below 2^20: the middle of a product (D. E. Knuth, The Art of Computer Programming, 6.4).
RANDOM = '((n * {0} + {0} >> 3 & 2147483647) * 2654435761 >> 12 & 1048575)'
# Names: functions from 0 on, kernels from 100 on, the last of which are NCCL's, ranges of operators from 500 on.
NAMES = ('cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaStreamSynchronize', 'read', 'pthread_mutex_lock', 'poll')
KERNELS = 300
OPERATORS = 120
COLLECTIVE_EACH = 25 # one of so many pieces of each GPU is NCCL's

# Piece n of all is piece i of a GPU. Once a second a GPU waits 2 ms for its data, and makes up for it in the next 250 pieces.
WORK = f"""CREATE TEMP TABLE work AS WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < :pieces - 1)
    SELECT n, n % {GPUS} AS gpu, n / {GPUS} AS i, 4000 + n % {GPUS} AS pid, {RANDOM.format(611953)} % 10 = 0 AND n / {GPUS} % {COLLECTIVE_EACH} AS is_copy,
        n / {GPUS} * {EACH_NS} + max(0, 2000000 - n / {GPUS} % 25000 * 8000) + {RANDOM.format(7919)} % 8000 AS start,
        2000 + {RANDOM.format(40503)} % 28000 AS dur, {RANDOM.format(104729)} AS random FROM r"""
WAITS_EACH = 999 # one of so many calls waits for the GPU
FILL = (
    f"""INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, start + dur, gpu, 1, 7 + i % 4, i, pid << 24,
        100 + CASE WHEN i % {COLLECTIVE_EACH} = 0 THEN {KERNELS} - 1 ELSE random % ({KERNELS} - 1) END, 100 FROM work WHERE NOT is_copy""",
    """INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start, start + dur, gpu, 1, 7 + i % 4, i, pid << 24, 1 << random % 25, 1 + random / 32 % 2
        FROM work WHERE is_copy""",
    """INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 5000 - random % 15000, start - 1000 - random % 15000, 0, (pid << 24) + pid, i, is_copy, 0
        FROM work""",
    # they wait until half a launch's distance before the next one
    f"""UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 2, "end" = start + {EACH_NS} / 2, correlationId = correlationId + (1 << 28) WHERE rowid % {WAITS_EACH} = 0""",
    """INSERT INTO OSRT_API SELECT start, start + dur, 27, (pid << 24) + pid + 1 + n / 21 % 8, 3 + random % 3, random % 4096, 0, 0 FROM work WHERE n % 21 = 0""",
    f"""INSERT INTO NVTX_EVENTS SELECT start - 21000, start - 1000, 59, 500 + random % {OPERATORS}, (pid << 24) + pid FROM work WHERE n % 9 = 0""",
)


def make(folder, rows):
    """An export of nsys, half of whose rows are work and half calls, and a log with epochs beside it."""
    log, path = folder / 'train.log', folder / 'report1.sqlite'
    if log.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    remove(path)
    print(f'generating {rows} rows in {folder.relative_to(ROOT)}')
    db = new_export(path, EPOCH_NS)
    names = dict(enumerate(NAMES))
    names |= {100 + i: f'void at::native::kernel_{i}<float>(int)' for i in range(KERNELS - 1)}
    names |= {99 + KERNELS: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)'}
    names |= {500 + i: f'aten::op_{i}, op_id = 7' for i in range(OPERATORS)}
    db.executemany('INSERT INTO StringIds VALUES (?, ?)', names.items())
    for statement in (WORK, *FILL):
        db.execute(statement, {'pieces': rows // 2} if ':pieces' in statement else ())
    db.commit()
    db.close()
    write_log(log, rows)


def write_log(path, rows):
    epoch_ms = rows // 2 // GPUS * EACH_NS / 1e6 / EPOCHS
    with open(path, 'w', encoding='utf-8') as log:
        for epoch in range(EPOCHS):
            marks = ('START', 'epoch_start', epoch * epoch_ms), ('END', 'epoch_stop', (epoch + 1) * epoch_ms - 2)
            for edge, key, at in marks:
                log.write(f':::MLLOG {{"namespace": "", "time_ms": {int(EPOCH_NS / 1e6 + at)}, "event_type": "INTERVAL_{edge}", "key": "{key}", '
                          f'"value": null, "metadata": {{"file": "train.py", "lineno": 61, "epoch_num": {epoch + 1}}}}}\n')


def commands(tracedb, db):
    """Name and command of all that a user asks of the whole run."""
    for path in sorted((ROOT / 'queries').glob('*.sql')):
        yield path.stem, [tracedb, 'report', path.stem, db]
    yield 'around, 80 % of the run', [tracedb, 'report', 'around', '--param', 'width=40s', db]
    yield 'analyze', [tracedb, 'analyze', db]


def bench_gpu(programs, rows, rounds):
    tracedb, folder = programs / 'cli/tracedb', DATA / f'gpu-{rows}'
    db = folder / 'tracedb.db'
    make(folder / 'run', rows)
    run = Measured([tracedb, 'import', '--quiet', '--force', '-o', db, folder / 'run'])
    print(f'\nimport of {rows} calls and pieces of work on GPUs: wall {run.wall_s:.2f} s  cpu {run.cpu_s:.2f} s'
          f'  peak {run.rss_mib:.0f} MiB  {db.stat().st_size / 1e6:.1f} MB')
    record('import of work on GPUs', rows, run.cpu_s, 0, 's of CPU time')
    warm(db)
    found = sorted(measured(tracedb, db, rounds), reverse=True)
    print(f'reports on it, CPU time of the process, {rounds} rounds: median (min .. max)')
    for median, name, times in found:
        print(f'  {name:<28} {median:6.3f} s  ({min(times):.3f} .. {max(times):.3f})')
    for median, name, _ in found[:SHOWN]:
        record(f'work on GPUs: {name}', rows, median, 0, 's of CPU time')
    remove(db)


def measured(tracedb, db, rounds):
    for name, command in commands(tracedb, db):
        # 3: it has no such rows; 1: findings
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 3:
            times = [Measured(command).cpu_s for _ in range(rounds)]
            yield statistics.median(times), name, times
