#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was recorded on real GPUs: what is said of them must hold, against their kernels, for each sampler alone and for all together.

usage: recorded.py TRACEDB      exit 77 (skipped) unless there is a folder gpu beside TRACEDB_CORPUS; the samplers alone are asked of
       $TRACEDB_PLAIN, the program without sanitizers, where there is one"""
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from truth import SEC, Cover, build, kernels_of, put_down, rows

MS = SEC // 1000
IO = ['vfs_rw.out', 'open.out', 'bio.out', 'pids.out']
HEADS = {'query': 'timestamp, utilization.gpu [%]\n'}    # which was not kept
checks = failures = 0
estimates = []  # whether they hold
seen_causes = set()


CALLS = """SELECT start_ns, start_ns + coalesce(dur_ns, 0), dur_ns IS NOT NULL AND file AS on_file, kind, verb, layer, process_id
FROM (
    SELECT c.start_ns, c.dur_ns, c.process_id, o.kind, o.verb, o.layer,
        coalesce(f.class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed') AS file
    FROM call AS c JOIN op AS o ON o.id = c.op_id LEFT JOIN file AS f ON f.id = c.file_id WHERE NOT c.nested)"""


SPANS = """SELECT s.start_ns, s.start_ns + s.dur_ns FROM span AS s JOIN string AS k ON k.id = s.kind_id JOIN string AS n ON n.id = s.name_id
WHERE s.dur_ns > 0 AND k.text = ? AND n.text GLOB ? AND NOT n.text GLOB ? AND (? IS NULL OR s.process_id IS NULL OR s.process_id = ?)"""


def causes_of(db, process=None):
    """What idle time is put down to, by the rows; process: of a rank that has a GPU of its own, by the rows of this process."""
    def spans(kind, name, but=''):
        return db.execute(SPANS, (kind, name, but, process, process)).fetchall()

    of = {'disk read': db.execute('SELECT start_ns - coalesce(queue_ns, 0), start_ns + dur_ns FROM block_request WHERE op = 0 AND dur_ns IS NOT NULL').fetchall(),
          'file read': [], 'file write': spans('phase', 'checkpoint*'), 'other file I/O': [],
          'waiting for a loader': spans('annotation', 'enumerate(DataLoader)*'), 'CUDA call': [],
          'other ranks': spans('cpu-op', 'c10d::*') + spans('cpu-op', 'record_param_comms*'),
          'launching operators': spans('cpu-op', '*', 'c10d::*'),
          'evaluation': spans('phase', 'eval*'), 'initialisation': spans('phase', 'init*')}
    first, last = 2**62, -2**62
    for start, end, on_file, kind, verb, layer, by in db.execute(CALLS):
        first, last = min(first, start), max(last, end)
        if process and by not in (None, process):
            continue
        if layer == 'cuda':
            of['CUDA call'] += [(start, end)] if kind != 'wait' else []
        elif on_file and kind == 'io' and verb != 'socket':
            of[{'read': 'file read', 'write': 'file write', 'sync': 'file write'}.get(verb, 'other file I/O')].append((start, end))
    if last <= first:
        return None
    return (of, (first, last)) if process else put_down(of.items(), (first, last))


def causes_of_ranks(db):
    """By number of the GPU, of which each has a process of its own. What only the others are at comes behind operators."""
    of = {gpu: causes_of(db, process) for gpu, process in db.execute(
        'SELECT DISTINCT d.number, o.process_id FROM gpu_op AS o JOIN device AS d ON d.id = o.device_id')}
    out = {}
    for gpu, (own, calls) in of.items():
        others = [i for other, (theirs, _) in of.items() if other != gpu for cause, intervals in theirs.items()
                  if cause not in ('other ranks', 'evaluation', 'initialisation') for i in intervals]
        pairs = list(own.items())
        at = [cause for cause, _ in pairs].index('launching operators') + 1
        out[gpu] = put_down([*pairs[:at], ('other ranks at work', others), *pairs[at:]], calls)
    return out


def check(what, db, busy, least, causes=None):
    """Bounds hold, all of them; estimates are counted."""
    global checks, failures
    seen, causes = [], causes or causes_of(db)
    for label, gpu, basis, wall, said in rows(db, busy, slack_ns=1000 * 1000):
        seen.append(basis)
        check_row(f'{what}: GPU {gpu} {label} ({basis}, {wall / SEC:.3f})', basis, 'busy', said['busy'])
    # what is printed to microseconds, and by two clocks, can be off by some at each end of each of thousands of intervals
    for label, gpu, basis, wall, said in rows(db, busy, slack_ns=2000, causes=causes):
        for cause, told in said.items():
            if cause.startswith('idle, '):
                check_row(f'{what}: GPU {gpu} {label} ({basis}, {wall / SEC:.3f})', basis, cause, told)
                seen_causes.add(cause)
    if len(seen) < least:
        failures += 1
        print(f'{what}: {len(seen)} rows')


def check_row(what, basis, quantity, told):
    global checks, failures
    true, low, high, ok = told
    checks += 1
    if basis == 'estimate':
        estimates.append(ok)
    elif not ok:
        failures += 1
        print(f'{what}: {quantity} {true / SEC:.6f}, said {low / SEC:.6f} .. {high / SEC:.6f}')


def training(tracedb, folder, scratch):
    """A training run beside all samplers, and its Kineto trace."""
    busy = kernels_of(folder / 'kineto.json.gz')
    samplers = ['gpu.out', 'dmon.out', 'dmon.csv', 'query_gpu.csv']
    sets = {**{name: [name] for name in samplers}, 'all': samplers, 'kernels': ['kineto.json.gz'],
            'all and kernels': [*samplers, 'kineto.json.gz'],
            'pmon and I/O': ['gpu.out', *IO], 'all and I/O': [*samplers, *IO],
            # but for what is no data, and of another run
            'the folder': [path.name for path in folder.iterdir() if path.name not in ('pmon_usage_message.csv', 'train_of_another_run.log')]}
    for i, (what, names) in enumerate(sets.items()):
        run = scratch / f'training{i}'
        run.mkdir()
        for name in {*names, 'train.log'}:
            shutil.copy(folder / name, run)
        check(what, build(tracedb, run), busy, 5)


def ranks(tracedb, folder, scratch):
    """Two ranks on two GPUs, each with its own Kineto trace."""
    run, busy = scratch / 'ranks', {}
    run.mkdir()
    for name in ('kineto_second_run.0.json.gz', 'kineto_second_run.1.json.gz', 'train_second_run.log'):
        shutil.copy(folder / name, run)
        busy.update(kernels_of(folder / name) if name.startswith('kineto') else {})
    db = build(tracedb, run)
    check('two ranks', db, busy, 10, causes_of_ranks(db))
    loader_slept(db)


def loader_slept(db):
    """In each of the two epochs a loader of the second rank slept for 1.5 s, of which 0.2 s were covered by batches that were there: that long its GPU
    idled, and its program asked for the next batch."""
    global failures
    rows = db.execute("SELECT d.number, s.idle_min_ns FROM gpu_idle_stretch AS s JOIN device AS d ON d.id = s.device_id"
                      " WHERE cause = 'waiting for a loader' ORDER BY 2 DESC LIMIT 3").fetchall()
    if [gpu for gpu, _ in rows[:2]] != [1, 1] or not all(1.2 * SEC < ns < 1.5 * SEC for _, ns in rows[:2]) or rows[2][1] > SEC / 2:
        failures += 1
        print(f'waits for the loader that slept: {rows}')


def lines_of(printed):
    return ''.join(line.rstrip() + '\n' for _, line in printed)


def spinning(tracedb, recording, scratch):
    """Kernels of known times: [start, end] by the GPU's timer, beside what the tools printed; phases of some lengths."""
    spans, edges, printed = recording[0], recording[1], recording[2]
    busy = {0: Cover(zip(edges[::2], edges[1::2]))}
    for seconds in (2, 5, 11, 23):
        log, start, number = [], spans[0][0] // MS, 0
        while start + seconds * 1000 < spans[-1][1] // MS:
            number += 1
            for at, key, kind in ((start, 'epoch_start', 'INTERVAL_START'), (start + seconds * 1000, 'epoch_stop', 'INTERVAL_END')):
                log.append(':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': at, 'event_type': kind, 'key': key, 'value': None,
                                                     'metadata': {'file': 'x.py', 'lineno': 1, 'epoch_num': number}}))
            start += seconds * 1000
        for what, tools in {**{tool: [tool] for tool in printed}, 'all': list(printed)}.items():
            run = scratch / f'spin-{seconds}-{what}'
            run.mkdir()
            (run / 'train.log').write_text('\n'.join(log) + '\n')
            for tool in tools:
                (run / f'{tool}.out').write_text(HEADS.get(tool, '') + lines_of(printed[tool]))
            check(f'{what}, {seconds} s', build(tracedb, run), busy, 3)


def main(tracedb):
    corpus = os.environ.get('TRACEDB_CORPUS')
    folder = Path(corpus).parent / 'gpu' if corpus else None
    if not folder or not folder.is_dir():
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        training(tracedb, folder / 'h100_train', Path(scratch))
        ranks(tracedb, folder / 'h200x2_ddp', Path(scratch))
        spinning(os.environ.get('TRACEDB_PLAIN', tracedb), json.loads((folder / 'sampling_h100.json').read_text()), Path(scratch))
    good = sum(estimates) >= 0.93 * len(estimates)
    print('causes: ' + ', '.join(sorted(seen_causes)))
    good = good and len(seen_causes) == 12
    print(f'{checks} ranges, {failures} wrong; of {len(estimates)} estimates {sum(estimates)} hold{"" if good else ": WRONG"}')
    return 1 if failures or not good else 0


sys.exit(main(*sys.argv[1:]))
