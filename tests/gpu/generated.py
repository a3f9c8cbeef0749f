#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs of another generator, whose truth is known, held by its own checker against what is said of them.

usage: generated.py TRACEDB [FIRST LAST]

The generator is the folder truth beside TRACEDB_CORPUS, or in ../shared of the sources: gen.py SEED OUT [key=value ...] writes
OUT/run and OUT/truth.json, check.py TRACEDB OUT writes OUT/check.json. Exit 77 (skipped) where there is none. TRACEDB, which
may have sanitizers, is held against each of the settings once, and against the other seeds, of which there are many for the
sake of shares, the program in $TRACEDB_PLAIN, if that is set."""
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# What the checker asks for and the reports do not say, and why.
OTHERWISE = {
    'gpu_util mean of the printed samples': 'it is weighted by the lengths of the samples',
    'overlap: >= is said, but with the lost events neither is less than its minimum': 'neither is printed with <=: loss makes it too large',
    'osrt_sum: total is too small and nothing says so, latency over 2^32 ns': 'what wrapped to a positive number looks like any other',
}
# The checker counts all calls of each process, these reports files, or roles, only, unless they are told otherwise; and it calls
# terminals devices.
WRAPPER = """#!/bin/sh
case "$1 $2" in
'report file_io' | 'report io_by_process') exec '{tracedb}' "$@" --param what=all ;;
'report anon_writers')
	said=$('{tracedb}' "$@" --by process) || exit
	printf '%s\\n' "$said" | sed 's/\\<terminal\\>/device/'
	exit
	;;
esac
exec '{tracedb}' "$@"
"""
SETTINGS = [    # besides those that the seeds choose: zones, ticks, late readers, loss, lines that are no lines
    [], [], [], [], ['tz_s=-43200'], ['tz_s=50400'], ['tick_ns=10000000', 'reader=slow'], ['lost=3', 'spoilt=3', 'cut=1'],
]
QUANTITIES = ('busy', 'both', 'idle_io', 'neither')


def generator():
    corpus = os.environ.get('TRACEDB_CORPUS')
    beside = Path(corpus).parent if corpus else Path(__file__).resolve().parents[3] / 'shared'
    folder = beside / 'truth'
    return folder if (folder / 'gen.py').exists() and (folder / 'check.py').exists() else None


def look(folder, tracedb, seed):
    """What the checker found; None if it failed."""
    with tempfile.TemporaryDirectory() as out:
        asked = Path(out) / 'tracedb'
        asked.write_text(WRAPPER.format(tracedb=tracedb))
        asked.chmod(0o755)
        for script, arguments in (('gen.py', [str(seed), out, *SETTINGS[seed % len(SETTINGS)]]), ('check.py', [asked, out, '--quiet'])):
            done = subprocess.run([sys.executable, '-B', folder / script, *arguments], capture_output=True, text=True)
            if done.returncode not in (0, 1) or 'Traceback' in done.stderr:
                print(f'seed {seed}: {script}: {done.stderr}')
                return None
        return json.loads((Path(out) / 'check.json').read_text())


def is_counted(kind, what, known):
    """Is it among the ranges of which a share has to hold, or made of what is not known?"""
    return kind == 'RANGE' and (what.startswith('overlap ') or not known) or what.endswith('true error larger than stated')


def main(tracedb, first=0, last=40):
    folder = generator()
    if not folder:
        print('no generator beside the sources or TRACEDB_CORPUS')
        return 77
    held, findings, said = defaultdict(list), [], Counter()
    with ThreadPoolExecutor(2) as pool:
        plain = os.environ.get('TRACEDB_PLAIN', tracedb)
        seeds = range(int(first), int(last))
        # of those without settings the first is like the others
        watched = [seed for seed in seeds[:len(SETTINGS)] if SETTINGS[seed % len(SETTINGS)] or seed == seeds[0]]
        runs = list(pool.map(lambda seed: look(folder, tracedb if seed in watched else plain, seed), seeds))
    for run in runs:
        if not run:
            continue
        config = run['config']
        basis = 'bounds' if config['gpu_tool'].startswith('pmon') else 'estimate'
        for clock in run['clock'].values():
            held['boot clock', 'error'].append(abs(clock['err']) <= clock['stated'])
        for row in run['overlap']:
            # of latencies over 2^32 ns, printed in 32 bits, the I/O itself is not known
            for name in QUANTITIES if not run['off32'] else QUANTITIES[:1]:
                held[basis, name].append(abs(row[name][3]) <= row['edge'])
        for found in run['findings']:
            kind, what = found['kind'], found['what']
            if what in OTHERWISE:
                said[OTHERWISE[what]] += 1
            elif kind != 'POINT' and not is_counted(kind, what, basis == 'bounds' and not run['off32']):
                findings.append(f"seed {config['seed']}: {kind} {what}: {found}")
    failed = len(findings) + runs.count(None)
    for (basis, name), ok in sorted(held.items()):
        share = 100 * sum(ok) / len(ok)
        good = share >= 99.5 if basis != 'estimate' else 93 <= share and (share <= 99 or name != 'busy')
        failed += not good
        print(f'{basis} {name}: {len(ok)}, {share:.2f} % hold{"" if good else ": WRONG"}')
    print(f'{sum(run["exact"] for run in runs if run)} exact numbers, {len(findings)} wrong')
    print('\n'.join(findings + [f'{n} times otherwise: {why}' for why, n in said.items()]))
    return 1 if failed or not held else 0


sys.exit(main(*sys.argv[1:]))
