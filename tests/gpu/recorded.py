#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was recorded on real GPUs: what is said of them must hold, against their kernels, for each sampler alone and for all together.

usage: recorded.py TRACEDB      exit 77 (skipped) unless there is a folder gpu beside TRACEDB_CORPUS"""
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from truth import SEC, Cover, build, kernels_of, rows

MS = SEC // 1000
HEADS = {'query': 'timestamp, utilization.gpu [%]\n'}    # which was not kept
checks = failures = 0
estimates = []  # whether they hold


def check(what, db, busy, least):
    """Bounds hold, all of them; estimates are counted."""
    global checks, failures
    seen = []
    for label, gpu, basis, wall, said in rows(db, busy, slack_ns=1000 * 1000):
        true, low, high, ok = said['busy']
        seen.append(basis)
        checks += 1
        if basis == 'estimate':
            estimates.append(ok)
        elif not ok:
            failures += 1
            print(f'{what}: GPU {gpu} {label}: busy {true / SEC:.3f} of {wall / SEC:.3f}, said {low / SEC:.3f} .. {high / SEC:.3f} ({basis})')
    if len(seen) < least:
        failures += 1
        print(f'{what}: {len(seen)} rows')


def training(tracedb, folder, scratch):
    """A training run beside all samplers, and its Kineto trace."""
    busy = kernels_of(folder / 'kineto.json.gz')
    samplers = ['gpu.out', 'dmon.out', 'dmon.csv', 'query_gpu.csv']
    sets = {**{name: [name] for name in samplers}, 'all': samplers, 'kernels': ['kineto.json.gz'],
            'all and kernels': [*samplers, 'kineto.json.gz'],
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
    check('two ranks', build(tracedb, run), busy, 10)


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
        spinning(tracedb, json.loads((folder / 'sampling_h100.json').read_text()), Path(scratch))
    good = sum(estimates) >= 0.93 * len(estimates)
    print(f'{checks} ranges, {failures} wrong; of {len(estimates)} estimates {sum(estimates)} hold{"" if good else ": WRONG"}')
    return 1 if failures or not good else 0


sys.exit(main(*sys.argv[1:]))
