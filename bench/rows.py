#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of other kinds than calls, put into a database that tracedb made: what reports on them are measured with.

usage: rows.py DATABASE TABLE ROWS

TABLE: block_request, sched_slice, gpu_op or sample. The rows lie evenly over the time of the database's calls, each later than the one before;
what else they say follows from their number, so that it is always the same. No derived table knows of them before the next `tracedb import --append`."""
import sqlite3
import sys

# A pseudorandom number of row n for each use, below 2^20: the middle of a product (D. E. Knuth, The Art of Computer Programming, 6.4).
RANDOM = '((n * {0} + {0} >> 3 & 2147483647) * 2654435761 >> 12 & 1048575)'
# Durations and the like: mostly about a hundred microseconds, a few of a hundred milliseconds.
LONG = f'(1000 + {RANDOM.format(40503)} % 200000 + ({RANDOM.format(30011)} % 1000 = 0) * 100000000)'
ROWS = 'WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < :rows)'
START = ':first + (:last - :first) / :rows * n'
PROCESS = f'1 + {RANDOM.format(7919)} % (SELECT count(*) FROM process)'
SOURCE = '(SELECT min(id) FROM source)'

FILL = {
    # two disks; three of four requests go on where the one before ended
    'block_request': (
        "INSERT INTO device (kind, name) VALUES ('disk', 'nvme0n1'), ('disk', 'sda')",
        f"""INSERT INTO block_request {ROWS} SELECT n, {START}, {LONG}, {RANDOM.format(104729)} % 50000, (SELECT min(id) FROM device WHERE kind = 'disk') + n % 2,
            {RANDOM.format(611953)} % 3 / 2, CASE WHEN n / 2 % 4 THEN n / 8 * 8000 + n / 2 % 4 * 8 ELSE n / 8 * 8000 END + n % 2, 4096, {PROCESS}, NULL, {SOURCE} FROM r""",
    ),
    # 64 threads of the processes
    'sched_slice': (
        "INSERT INTO string (text) SELECT value FROM json_each('[\"running\", \"runnable\", \"sleeping\", \"blocked\", \"futex\", \"read\", \"io_uring_enter\"]')",
        f"""INSERT INTO thread (tid, process_id) {ROWS.replace(':rows', '64')} SELECT 900000 + n, 1 + n % (SELECT count(*) FROM process) FROM r""",
        f"""INSERT INTO sched_slice {ROWS} SELECT n, {START}, {LONG}, (SELECT max(id) FROM thread) - {RANDOM.format(7919)} % 64, {RANDOM.format(104729)} % 16,
            (SELECT max(id) FROM string) - 6 + n % 4, CASE WHEN n % 4 >= 2 THEN (SELECT max(id) FROM string) - n / 4 % 3 END, NULL, {SOURCE} FROM r""",
    ),
    # eight GPUs with a process each, four streams each, 300 kernels; a tenth are copies of three directions
    'gpu_op': (
        f"INSERT INTO device (kind, name, number) {ROWS.replace(':rows', '8')} SELECT 'gpu', 'GPU ' || (n - 1), n - 1 FROM r",
        f"INSERT INTO string (text) {ROWS.replace(':rows', '300')} SELECT 'void at::native::kernel_' || n || '<float>' FROM r",
        "INSERT INTO string (text) VALUES ('kernel'), ('copy'), ('Memcpy HtoD (Pageable -> Device)'), ('Memcpy HtoD (Pinned -> Device)'), ('Memcpy DtoH')",
        f"""INSERT INTO gpu_op {ROWS} SELECT n, {START}, {LONG}, (SELECT min(id) FROM device WHERE kind = 'gpu') + n % 8, 7 + n / 8 % 4,
            (SELECT max(id) FROM string) - 4 + (n % 10 = 0), (SELECT max(id) FROM string) - CASE WHEN n % 10 THEN 5 + {RANDOM.format(104729)} % 300 ELSE n / 10 % 3 END,
            CASE WHEN n % 10 = 0 THEN 1 << n / 10 % 25 END, 1 + n % 8 % (SELECT count(*) FROM process), n / 8, {SOURCE} FROM r""",
        # each was launched by a call, five to twenty microseconds before it began; there are no other calls
        "INSERT OR IGNORE INTO op (name, layer, verb, kind) VALUES ('cudaLaunchKernel', 'cuda', 'launch', 'other')",
        'DELETE FROM call',
        f"""INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, nested, source_id, correlation) SELECT id, start_ns - 5000 - {RANDOM.format(611953).replace('n', 'id')} % 15000,
            4000, (SELECT max(id) FROM op WHERE name = 'cudaLaunchKernel'), process_id, 0, source_id, correlation FROM gpu_op ORDER BY start_ns""",
    ),
    # eight GPUs as pmon shows them, with a process each: sm, mem, fb
    'sample': (
        f"INSERT INTO device (kind, name, number) {ROWS.replace(':rows', '8')} SELECT 'gpu', 'GPU ' || (n - 1), n - 1 FROM r",
        f"""INSERT INTO track (name, unit, device_id, process_id, source_id) {ROWS.replace(':rows', '24')}
            SELECT CASE n % 3 WHEN 0 THEN 'gpu.sm' WHEN 1 THEN 'gpu.mem' ELSE 'gpu.fb' END, '%', (SELECT min(id) FROM device WHERE kind = 'gpu') + (n - 1) / 3, 1, {SOURCE} FROM r""",
        f"INSERT INTO gpu_sampler SELECT id, {SOURCE}, 1, 'bounds', 0, 1000000000, 0.5, 0.5, 0, 0 FROM device WHERE kind = 'gpu'",
        f"INSERT INTO sample {ROWS} SELECT n, :first + (:last - :first) / :rows * 24 * (n / 24), 1000000000, (SELECT max(id) FROM track) - n % 24, {RANDOM.format(104729)} % 101 FROM r",
    ),
}


def main(path, table, rows):
    db = sqlite3.connect(path)
    db.execute('PRAGMA journal_mode = OFF')
    db.execute('PRAGMA synchronous = OFF')
    db.execute(f'DELETE FROM {table}')
    if table != 'sample':
        db.execute(f'DELETE FROM {table}_stat')
    first, last = db.execute('SELECT min(start_ns), max(start_ns) FROM call').fetchone()
    for statement in FILL[table]:
        db.execute(statement, {'rows': int(rows), 'first': first, 'last': last})
    db.commit()


main(*sys.argv[1:])
