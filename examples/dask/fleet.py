#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One report of many databases, by Dask: partials are made by the workers, where the files are, and put together in a tree.

usage: fleet.py SCHEDULER OUT 'REPORT [OPTION]...' DB...
       (tcp://host:8786 all.partial 'file_io --by template' /scratch/runs/*.db)

    tracedb report --from-partial OUT

A worker that is lost costs a retry: its tasks are done again by others, and a partial is the same whoever makes it. TRACEDB in the
environment names the program on the workers."""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from dask.distributed import Client

RETRIES = 3
ARITY = 8


def run(tracedb, folder, *args):
    done = subprocess.run([tracedb, *args], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors='replace'))
    return done.stdout


def partial(tracedb, folder, report, db):
    return run(tracedb, folder, 'report', *shlex.split(report), '--partial', db)


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


def main():
    scheduler, out, report, *dbs = sys.argv[1:]
    tracedb = os.environ.get('TRACEDB', 'tracedb')
    with Client(scheduler, timeout=20) as client:
        futures = client.map(partial, [tracedb] * len(dbs), [os.getcwd()] * len(dbs), [report] * len(dbs), dbs, pure=False, retries=RETRIES)
        Path(out).write_bytes(reduced(client, tracedb, futures).result())


if __name__ == '__main__':
    main()
