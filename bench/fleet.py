# SPDX-License-Identifier: MIT
"""One report of many databases: how long it takes against reading the bytes that it reads, and what a database more costs."""
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


def read_all(paths, each, threads=2):
    """Seconds that reading so many bytes of each file takes, from the page cache where they are there."""
    def some(first):
        buffer = bytearray(PIECE)
        for path in paths[first::threads]:
            left = each
            with open(path, 'rb', buffering=0) as f:
                while left > 0 and (got := f.readinto(buffer)):
                    left -= got
    begin = time.perf_counter()
    workers = [threading.Thread(target=some, args=(i,)) for i in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - begin


def bytes_read(command):
    """What the process asks the kernel for: rchar of /proc/PID/io, which a shell reads of itself before it is over."""
    text = subprocess.run(['sh', '-c', '"$@" >/dev/null; cat /proc/$$/io', 'sh', *map(str, command)], capture_output=True, check=True, text=True).stdout
    return int(text.split('rchar: ')[1].split()[0])


def bench_fleet(programs, counts, rounds):
    tracedb = programs / 'cli/tracedb'
    print(f'\none report of databases of {ROWS} events, {rounds} rounds: median (min .. max)')
    for n in counts:
        paths = make(programs, n)
        for report in REPORTS:
            command = [tracedb, 'report', report, '--merged', '--limit', '20', *paths]
            need = bytes_read(command) // n
            runs, reads = [], []
            for _ in range(rounds):
                reads.append(read_all(paths, need))
                runs.append(Measured(command))
            wall, read = (statistics.median(x) for x in ([r.wall_s for r in runs], reads))
            cpu = statistics.median(r.cpu_s for r in runs)
            print(f'  {report:<9} of {n:>5}: wall {spread([r.wall_s for r in runs])}, {1e3 * wall / n:.2f} ms a database,'
                  f' {1e3 * cpu / n:.2f} ms of CPU time, {need / 1e6:.2f} MB;'
                  f' reading them {spread(reads)}, {wall / read:.1f}x; peak {max(r.rss_mib for r in runs):.0f} MiB')
            record(f'merged {report}', n, wall, read, 's')
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
