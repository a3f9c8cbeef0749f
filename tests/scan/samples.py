#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpu_sample_stat and cpu_sample_stat against the views of these names, which SQLite alone asks, in a copy of the database that has no samples but
those that count.

usage: samples.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random samples of several tools, whole numbers, fractions and '-', are made with the schema alone, with pages so small that there are
many, and once with a write-ahead log, which SQLite has to read."""
import math
import sys
from pathlib import Path

from asked import ask, each_case, literal, new_db, with_log

PHASES = (('epoch', 2000, 6000), ('epoch', 9000, 15000), ('eval', 5000, 9100))
PROCESSES = ((1, 10, 'python', 'trainer'), (2, 20, 'python', None), (3, 20, 'java', 'loader'))
GPU_TRACKS = [(name, device, process, source) for name in ('gpu.sm', 'gpu.mem', 'gpu.fb') for device in (1, 2) for process in (None, 1, 2, 3) for source in (1, 2)]
CPU_TRACKS = [('cpu.' + name, device, None, source) for name in ('usr', 'nice', 'sys', 'iowait', 'irq', 'soft', 'steal', 'idle')
              for device in (3, None) for source in (1, 2)]
GPU_ASKED = 'by, device_id, process_id, ts_ns, samples, unsampled, basis, sm_mean_pct, sm_mean_min_pct, sm_mean_max_pct, sm_p50_pct, sm_max_pct, ' \
            'mem_mean_pct, mem_max_pct, fb_max_bytes'
CPU_ASKED = 'host, device_id, samples, basis, busy_mean_pct, busy_mean_min_pct, busy_mean_max_pct, busy_max_pct, usr_pct, nice_pct, sys_pct, iowait_pct, ' \
            'iowait_max_pct, irq_pct, steal_pct, idle_pct, source'


def make_rows(rng, n):
    """Which tracks there are, and samples: (id, time, length, track, value)."""
    tracks = rng.sample(GPU_TRACKS, len(GPU_TRACKS) // 2) + rng.sample(CPU_TRACKS, len(CPU_TRACKS) * 3 // 4)
    ts, rows = 1000, []
    lengths = rng.choice(((None,), (100, 100, 0), (None, 70, 100)))
    for i in range(1, n + 1):
        ts += rng.choice((0, 0, 0, 0, 0, 0, 20, 100))
        value = rng.choice((None, 0.0, -0.0, 100.0, float(rng.randrange(101)), rng.random() * 60, rng.randrange(1 << 40) / 4))
        rows.append((2 * i, ts, rng.choice(lengths), rng.randrange(len(tracks)) + 1, value))
    return tracks, rows


def make(path, schema, tracks, rows, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.executemany("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (?, ?, 'complete', 0, 0, 0, 0, 0, 0)",
                   ((1, 'one.out'), (2, 'two.out')))
    db.executemany('INSERT INTO device (id, kind, name, number) VALUES (?, ?, ?, ?)', ((1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1), (3, 'cpu', 'CPU 0', 0)))
    db.executemany('INSERT INTO process (id, pid, name, role, lifetime) VALUES (?, ?, ?, ?, 1)', PROCESSES)
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany("INSERT INTO track (name, unit, device_id, process_id, source_id) VALUES (?, '%', ?, ?, ?)", tracks)
    # of GPU 1 nobody knows how well it was sampled but the second tool; of CPU 0 the second one is better for some time
    db.executemany('INSERT INTO gpu_sampler VALUES (?, ?, ?, ?, 0, 0, ?, ?, 0, 0)', ((1, 1, 1, 'bounds', 0.5, 1.5), (1, 2, 2, 'bounds', 7, 7), (2, 2, 3, 'estimate', 2, 2)))
    db.executemany('INSERT INTO cpu_sampler VALUES (?, ?, ?, ?, ?, ?, ?)', ((3, 1, 'a', 2, 1.0, 0, 99999), (3, 2, 'a', 1, 0, 4000, 9000), (None, 1, None, 1, 0.01, 0, 99999)))
    db.executemany('INSERT INTO sample VALUES (?, ?, ?, ?, ?)', rows)
    db.commit()
    return db


def counts(ts, since, until, phase):
    return (since is None or ts >= since) and (until is None or ts < until) and \
        (phase is None or any(label == phase and begin <= ts < end for label, begin, end in PHASES))


def oracle(schema, tracks, rows, columns, relation, by, when, pid, process):
    """What the view has of the samples that count."""
    mine = {id for id, number, name, role in PROCESSES if (pid is None or number == pid) and (process is None or process in (name, role))}
    kept = [t if pid is None and process is None or t[2] in mine else ('other', *t[1:]) for t in tracks]
    db = make(':memory:', schema, kept, [row for row in rows if counts(row[1], *when)], 4096)
    found = db.execute(f'SELECT {columns} FROM {relation}' + (f" WHERE by = '{by}'" if by else '')).fetchall()
    db.close()
    return found


def in_order(rows):
    return sorted(rows, key=lambda row: [(v is not None, v) for v in row[:4]])


def alike(a, b):
    """Sums of fractions depend on their order, and are printed with 15 digits."""
    return a == b or isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-9)


def same(answer, expected):
    return len(answer) == len(expected) and all(alike(*pair) for rows_of in zip(answer, expected) for pair in zip(*rows_of))


def differ(rng, tracedb, path, schema, tracks, rows):
    """Statements whose answers are not those of the oracle."""
    statements, wanted = [], []
    for i in range(14):
        when = (None, None, None) if i < 4 else (rng.choice((None, rng.randrange(900, 9000))), rng.choice((None, rng.randrange(2000, 20000))),
                                                 rng.choice((None, None, 'epoch', 'eval', 'none')))
        pid, process = (None, None) if i < 5 else (rng.choice((None, None, 10, 20)), rng.choice((None, None, 'python', 'loader')))
        by = (None, 'gpu', 'process', 'time')[i % 4]
        asked = f'since_ns IS {literal(when[0])} AND until_ns IS {literal(when[1])} AND in_phase IS {literal(when[2])}'
        gpu = f'SELECT {GPU_ASKED} FROM gpu_sample_stat WHERE {asked} AND of_pid IS {literal(pid)} AND of_process IS {literal(process)}' + \
            (f" AND by = '{by}'" if by else '')
        cpu = f'SELECT {CPU_ASKED} FROM cpu_sample_stat WHERE {asked}'
        statements += [gpu, cpu]
        wanted += [oracle(schema, tracks, rows, GPU_ASKED, 'gpu_sample_stat', by, when, pid, process),
                   oracle(schema, tracks, rows, CPU_ASKED, 'cpu_sample_stat', None, when, None, None)]
    return [sql for sql, answer, expected in zip(statements, ask(tracedb, path, statements), wanted) if not same(in_order(answer), in_order(expected))]


def main(tracedb, schema, seed='1'):
    def look(rng, path, kind, n, page_size):
        tracks, rows = make_rows(rng, n)
        db = make(path, Path(schema), tracks, rows, page_size)
        with_log(db, kind)
        wrong = differ(rng, tracedb, path, Path(schema), tracks, rows)
        db.close()
        return wrong

    return each_case(seed, (('none', 0, 4096), ('pages', 2500, 512), ('few', 60, 4096), ('wal', 600, 1024)), 'samples', look)


sys.exit(main(*sys.argv[1:]))
