# SPDX-License-Identifier: MIT
"""One report of many databases: how long it takes against reading the calls in them, and what a database more costs."""
import os
import shutil
import sqlite3
import statistics
import subprocess
import threading
import time

from figures import DATA, Measured, record, remove, spread
from imports import generate

ROWS = 100000
REPORTS = ('osrt_sum', 'file_io')
PIECE = 1 << 20


def make(programs, n):
    """Databases of the same calls, each with another source, so that none is taken for another. Kept."""
    folder = DATA / 'fleet'
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / 'first.db'
    if not first.exists():
        source, *_ = generate(programs, ROWS)
        subprocess.run([programs / 'cli/tracedb', 'import', '--quiet', '-o', first, source], check=True)
    paths = [folder / f'{i:05}.db' for i in range(n)]
    for i, path in enumerate(paths):
        if path.exists():
            continue
        copy = path.with_suffix('.part')
        shutil.copyfile(first, copy)
        db = sqlite3.connect(copy)
        with db:
            db.execute('UPDATE run SET name = ?', (path.name,))
            db.execute('UPDATE source SET hash = ?', (f'{i:032x}',))
        db.close()
        copy.rename(path)
    return paths


def pages_of_calls(path):
    """Where the rows of calls lie: (offset, bytes), neighbours together up to a piece."""
    db = sqlite3.connect(path)
    size = db.execute('PRAGMA page_size').fetchone()[0]
    runs = []
    for page, in db.execute("SELECT pageno FROM dbstat WHERE name = 'call' ORDER BY pageno"):
        if runs and sum(runs[-1]) == (page - 1) * size and runs[-1][1] < PIECE:
            runs[-1][1] += size
        else:
            runs.append([(page - 1) * size, size])
    db.close()
    return runs


def read_calls(paths, runs, threads=2):
    """Seconds that reading the calls of all takes, whatever one does with them."""
    def some(first):
        buffer = memoryview(bytearray(2 * PIECE))
        for path in paths[first::threads]:
            fd = os.open(path, os.O_RDONLY)
            for offset, length in runs:
                os.preadv(fd, [buffer[:length]], offset)
            os.close(fd)
    begin = time.perf_counter()
    workers = [threading.Thread(target=some, args=(i,)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - begin


def forget(paths):
    """Takes the files out of the page cache."""
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def bytes_read(command):
    """What the process asks the kernel for: rchar of /proc/PID/io, which a shell reads of itself before it is over."""
    text = subprocess.run(['sh', '-c', '"$@" >/dev/null 2>&1; cat /proc/$$/io', 'sh', *map(str, command)], capture_output=True, check=True, text=True).stdout
    return int(text.split('rchar: ')[1].split()[0])


def compare(command, paths, runs, cold, rounds):
    """The report and reading the calls, by turns: lists of measured runs and seconds."""
    reports, reads = [], []
    for _ in range(rounds):
        if cold:
            forget(paths)
        reads.append(read_calls(paths, runs))
        if cold:
            forget(paths)
        reports.append(Measured(command))
    return reports, reads


def bench_fleet(programs, counts, rounds):
    tracedb = programs / 'cli/tracedb'
    print(f'\none report of databases of {ROWS} events, {rounds} rounds: median (min .. max)')
    for n in counts:
        paths = make(programs, n)
        runs = pages_of_calls(paths[0])
        for report in REPORTS:
            command = [tracedb, 'report', report, '--merged', '--limit', '20', *paths]
            print(f'  {report:<9} of {n:>5}: {bytes_read(command) / n / 1e6:.2f} MB of each are read, of {paths[0].stat().st_size / 1e6:.2f};'
                  f' the calls are {sum(length for _, length in runs) / 1e6:.2f}')
            for cold in (False, True):
                reports, reads = compare(command, paths, runs, cold, rounds)
                wall, read = statistics.median(r.wall_s for r in reports), statistics.median(reads)
                each = [r.cpu_s * 1e3 / n for r in reports]
                print(f'    {"from disk" if cold else "in memory"}: wall {spread([r.wall_s for r in reports])}; CPU time of each'
                      f' {statistics.median(each):.2f} ms ({min(each):.2f} .. {max(each):.2f}); reading the calls {spread(reads)}: {wall / read:.2f}x;'
                      f' peak {max(r.rss_mib for r in reports):.0f} MiB')
                record(f'merged {report}{" from disk" if cold else ""}', n, wall, read, 's')
        bench_merge(tracedb, paths)


def bench_merge(tracedb, paths):
    """A partial each, then all of them put together."""
    parts = [path.with_suffix('.partial') for path in paths]
    for path, part in zip(paths, parts):
        if not part.exists():
            subprocess.run([tracedb, 'report', 'file_io', '--partial', '-o', part, path], check=True)
    out = paths[0].parent / 'all'
    run = Measured([tracedb, 'merge', '-o', out, *parts])
    print(f'  merge     of {len(parts):>5}: wall {run.wall_s:.3f} s, {1e3 * run.wall_s / len(parts):.2f} ms a partial of'
          f' {sum(p.stat().st_size for p in parts) / len(parts) / 1e3:.1f} kB; {out.stat().st_size / 1e3:.0f} kB in all; peak {run.rss_mib:.0f} MiB')
    record('merge of partials', len(parts), run.wall_s, 0, 's')
    remove(out)
