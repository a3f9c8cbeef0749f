#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collective_stat against an oracle: the same rows found here, one collective at a time, by the view, which SQLite alone asks, and by the program, of the whole run and of
parts of it.

usage: collectives.py TRACEDB SCHEMA_FOLDER [SEED]

Databases of random kernels of some ranks are made with the schema alone, with pages so small that there are many, and once with a write-ahead log, which SQLite has to read."""
import sys
from pathlib import Path

from asked import ask, each_made, literal, new_db

PHASES = (('epoch', 2000, 6000), ('epoch', 9000, 15000), ('epoch 1', 2000, 6000), ('epoch 2', 9000, 15000))
KERNEL, COPY, REDUCE, AS_VOID, GATHER, GEMM = range(1, 7)    # string.id
OF = {REDUCE: REDUCE, AS_VOID: REDUCE, GATHER: GATHER}
COLUMNS = ('of_id, device_id, process_id, rank, kernels, timed, total_ns, max_ns, matched, last, late_ns, behind_ns, waited_ns, cost_ns, worst_ns, worst_start_ns, '
           'clock_error_ns, alike, clocks_agree')
RANK_OF_SOURCE = {1: 5, 2: None}


def make_rows(rng, n):
    """Work: (id, start, duration, device, kind, name, process, source); of some collectives a rank has none, of some the duration is unknown."""
    ranks = [(device, process, source) for device, process, source in ((1, 1, 1), (2, 2, 2), (1, None, 1), (2, None, 2))[:rng.randint(1, 4)]]
    work, at, missing = [], 1000, rng.choice((0, 0, 0.02))
    while len(work) < n:
        name, spread = rng.choice((REDUCE, REDUCE, GATHER)), rng.choice((5, 50, 200))
        for device, process, source in ranks:
            if rng.random() >= missing:
                work.append((at + rng.randint(0, spread), rng.choice((60, 60, 100, 150, None) if rng.random() < 0.1 else (60, 100, 150)), device,
                             COPY if rng.random() < 0.001 else KERNEL, AS_VOID if name == REDUCE and rng.random() < 0.3 else name, process, source))
            work.append((at + rng.randint(0, 300), 7, device, KERNEL, GEMM, process, source))
        at += 300
    return [(i, *row) for i, row in enumerate(sorted(work, key=lambda row: row[0]), 1)]


def make(path, schema, work, page_size):
    db = new_db(path, schema, page_size)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 1000, 99999, 0, 'given', 1000)")
    db.executemany("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, rank, rank_basis) "
                   "VALUES (?, 's', 'complete', 0, 0, 0, 0, 0, 0, 1, ?, iif(?2 IS NULL, NULL, 'given'))", RANK_OF_SOURCE.items())
    db.executemany("INSERT INTO device (id, kind, name) VALUES (?, 'gpu', ?)", ((1, 'GPU 0'), (2, 'GPU 1')))
    db.executemany('INSERT INTO string VALUES (?, ?)', ((KERNEL, 'kernel'), (COPY, 'copy'), (REDUCE, 'ncclReduce(x)'), (AS_VOID, 'void ncclReduce(y)'),
                                                        (GATHER, 'ncclGather'), (GEMM, 'gemm')))
    db.executemany('INSERT INTO collective_name VALUES (?, ?, ?)', ((REDUCE, REDUCE, 'ncclReduce'), (AS_VOID, REDUCE, 'ncclReduce'), (GATHER, GATHER, 'ncclGather')))
    db.executemany("INSERT INTO process (id, pid, name, lifetime) VALUES (?, ?, 'python', 1)", ((1, 10), (2, 20)))
    db.executemany('INSERT INTO phase_interval (label, start_ns, end_ns) VALUES (?, ?, ?)', PHASES)
    db.executemany('INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)', work)
    db.commit()
    return db


def matched(ranks):
    """{(rank, n): (begins of all)} of the collectives of one name of which the kernels of all ranks are known. ranks: {rank: [(start, duration)]}."""
    found = {}
    most = max(len(kernels) for kernels in ranks.values())
    for n in range(max((len(kernels) for kernels in ranks.values() if len(kernels) < most), default=0), most):
        of = {rank: kernels[n] for rank, kernels in ranks.items() if n < len(kernels)}
        if len(of) > 1 and all(dur is not None for _, dur in of.values()) and max(start for start, _ in of.values()) <= min(start + dur for start, dur in of.values()):
            found |= {(rank, n): sorted(start for start, _ in of.values()) for rank in of}
    return found


def rows_of(work, counts):
    """What the columns have to be, of kernels that counts(start, process) says."""
    names = {}
    for _, start, dur, device, kind, name, process, source in work:
        if kind == KERNEL and name in OF:
            rank = (device, process, RANK_OF_SOURCE[source] if process is None else None)
            names.setdefault(OF[name], {}).setdefault(rank, []).append((start, dur))
    for of_id, ranks in names.items():
        meets = matched(ranks)
        alike = len(ranks) > 1 and len({len(kernels) for kernels in ranks.values()}) == 1
        for (device, process, rank), kernels in ranks.items():
            those = [(n, start, dur) for n, (start, dur) in enumerate(kernels) if counts(start, process)]
            durs = [dur for _, _, dur in those if dur is not None]
            met = [(start, meets[(device, process, rank), n]) for n, start, _ in those if ((device, process, rank), n) in meets]
            costs = [(all_of[-1] - all_of[-2], start) for start, all_of in met if start == all_of[-1]]
            worst = max((cost for cost, _ in costs), default=None)
            if those:
                yield (of_id, device, process, rank, len(those), len(durs), sum(durs) if durs else None, max(durs, default=None), len(met), len(costs),
                       sum(start - all_of[0] for start, all_of in met if start == all_of[-1]), sum(start - all_of[0] for start, all_of in met),
                       sum(all_of[-1] - start for start, all_of in met), sum(cost for cost, _ in costs), worst,
                       min((start for cost, start in costs if cost == worst), default=None), None, int(alike), 1)


def in_order(rows):
    return sorted(rows, key=str)


def questions(rng, work):
    """(condition, whether a kernel that begins then, of a process, counts)."""
    pid = rng.choice((None, 10, 20, 30))
    for label in (None, 'epoch', 'EPOCH 2', 'eval'):
        since, until = (rng.choice((None, work[rng.randrange(len(work))][1])) for _ in range(2))
        spans = [(start, end) for name, start, end in PHASES if name == (label or '').lower()] if label else [(0, 1 << 62)]
        who = rng.choice((None, pid))

        def counts(start, process, since=since, until=until, spans=spans, who=who):
            return ((since is None or start >= since) and (until is None or start < until) and any(a <= start < b for a, b in spans)
                    and (who is None or process is not None and who == process * 10))

        yield (f'since_ns IS {literal(since)} AND until_ns IS {literal(until)} AND in_phase IS {literal(label)} AND of_pid IS {literal(who)} '
               f"AND of_process IS {rng.choice(('NULL', literal('python'))) if who else 'NULL'}", counts)


def main(tracedb, schema, seed=1):
    def differ(rng, path, db, work):
        wrong = []
        want = in_order(rows_of(work, lambda start, process: True))
        if in_order(db.execute(f'SELECT {COLUMNS} FROM collective_stat').fetchall()) != want:
            wrong.append('view collective_stat')
        asked = list(questions(rng, work))
        statements = [f'SELECT {COLUMNS} FROM collective_stat'] + [f'SELECT {COLUMNS} FROM collective_stat WHERE {where}' for where, _ in asked]
        wants = [want] + [in_order(rows_of(work, counts)) for _, counts in asked]
        return wrong + [sql for sql, got, must in zip(statements, ask(tracedb, path, statements), wants) if in_order(got) != must]

    cases = [('usual', 40, 512), ('usual', 400, 1024), ('usual', 400, 512), ('wal', 400, 512), ('usual', 4000, 1024), ('usual', 4000, 4096)] * 3
    return 1 if each_made(seed, cases, 'pieces of work', make_rows, lambda path, rows, size: make(path, Path(schema), rows, size), differ) else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
