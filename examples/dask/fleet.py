#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One report of many databases, by Dask: partials are made by the workers, where the files are, and put together in a tree.

usage: fleet.py [--keep-going] SCHEDULER OUT 'REPORT [OPTION]...' DB...
       (tcp://host:8786 all.partial 'file_io --by template' /scratch/runs/*.db)

    tracedb report --from-partial OUT

A worker that is lost costs a retry: its tasks are done again by others, and a partial is the same whoever makes it. With --keep-going what
cannot be read is named and left out, and the exit status is 4. TRACEDB in the environment names the program on the workers, LIMIT_S how
many seconds one call of it may take."""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from dask.distributed import Client, wait

RETRIES = 3
ARITY = 8


def run(tracedb, folder, *args, limit_s=None):
    done = subprocess.run([tracedb, *args], cwd=folder, capture_output=True, check=False, timeout=limit_s)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors='replace'))
    return done.stdout


def partial(tracedb, folder, report, db, limit_s):
    return run(tracedb, folder, 'report', *shlex.split(report), '--partial', db, limit_s=limit_s)


def merge(tracedb, partials):
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(partials):
            Path(folder, f'{i}.partial').write_bytes(data)
        return run(tracedb, folder, 'merge', *(f'{i}.partial' for i in range(len(partials))))


def reduced(client, tracedb, futures):
    while len(futures) > 1:
        futures = [client.submit(merge, tracedb, futures[i:i + ARITY], pure=False, retries=RETRIES)
                   for i in range(0, len(futures), ARITY)]
    return futures[0]


def answered(futures, dbs):
    """Those of the futures that came to something; the others are named."""
    wait(futures)
    for future, db in zip(futures, dbs):
        if future.status == 'finished':
            yield future
        else:
            print(f'left out: {db}: {future.exception()}', file=sys.stderr)


def main(keep_going, scheduler, out, report, *dbs):
    tracedb, n = os.environ.get('TRACEDB', 'tracedb'), len(dbs)
    with Client(scheduler, timeout=20) as client:
        futures = client.map(partial, [tracedb] * n, [os.getcwd()] * n, [report] * n, dbs, [float(os.environ.get('LIMIT_S', 1800))] * n, pure=False,
                             retries=RETRIES)
        if keep_going:
            futures = list(answered(futures, dbs))
        if not futures:
            return 3
        Path(out).write_bytes(reduced(client, tracedb, futures).result())
    return 4 if len(futures) < n else 0


if __name__ == '__main__':
    going = sys.argv[1] == '--keep-going'
    sys.exit(main(going, *sys.argv[1 + going:]))
