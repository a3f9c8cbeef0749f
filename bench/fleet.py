# SPDX-License-Identifier: MIT
"""One report of many databases: how long it takes against reading what is in them, and what a database more costs."""
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
# and the tables that each reads besides the small ones that all read; of some the rows of one grouping
REPORTS = {
    'osrt_sum': {'latency_stat': None},
    'file_io': {'file_stat': 'file,verb', 'file_hist': 'file,verb', 'file': None},
    'io_by_process': {'file_stat': 'class,process,verb', 'busiest_file': None, 'file': None},
}
SMALL = ('sqlite_schema', 'run', 'source', 'issue_count', 'op', 'op_stat', 'nested_stat', 'process', 'string', 'summary', 'span')
PIECE = 1 << 20
CPUS = 2


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


def pages_of_table(db, table, by):
    """Numbers of the pages of a table; with by, of the leaves that hold rows of this grouping, and of what leads to them."""
    first, last = 1, db.execute(f'SELECT count(*) FROM {table}').fetchone()[0]
    if by: # the rows of a grouping lie one behind the other
        first, last = (before + 1 for before in db.execute(
            f'SELECT (SELECT count(*) FROM {table} WHERE rowid < g.low), (SELECT count(*) FROM {table} WHERE rowid < g.high)'
            f' FROM (SELECT min(rowid) AS low, max(rowid) AS high FROM {table} WHERE by = ?) AS g', (by,)).fetchone())
    seen = 0
    for page, kind, cells in db.execute('SELECT pageno, pagetype, ncell FROM dbstat WHERE name = ? ORDER BY path', (table,)):
        if kind != 'leaf' or not by or (seen < last and seen + cells >= first):
            yield page
        seen += cells if kind == 'leaf' else 0


def pages_of(path, tables):
    """Where the rows of the tables lie: (offset, bytes), neighbours together up to a piece."""
    db = sqlite3.connect(path)
    size = db.execute('PRAGMA page_size').fetchone()[0]
    runs = []
    for page in sorted(page for table, by in tables.items() for page in pages_of_table(db, table, by)):
        if runs and sum(runs[-1]) == (page - 1) * size and runs[-1][1] < PIECE:
            runs[-1][1] += size
        else:
            runs.append([(page - 1) * size, size])
    db.close()
    return runs


class Reading:
    """Seconds by the clock, and of CPU time, that reading pages of all takes on two CPUs, whatever one does with them."""

    def __init__(self, paths, runs):
        def some(first):
            buffer = memoryview(bytearray(2 * PIECE))
            for path in paths[first::CPUS]:
                fd = os.open(path, os.O_RDONLY)
                for offset, length in runs:
                    os.preadv(fd, [buffer[:length]], offset)
                os.close(fd)
        begin, cpu = time.perf_counter(), time.process_time()
        workers = [threading.Thread(target=some, args=(i,)) for i in range(CPUS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.wall_s, self.cpu_s = time.perf_counter() - begin, time.process_time() - cpu


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


def compare(command, paths, ways, cold, rounds):
    """The report, and each way of reading, by turns: lists of what was measured, the report's last."""
    measured = [[] for _ in range(len(ways) + 1)]
    if not cold: # so that all is in memory
        _ = [Reading(paths, runs) for runs in ways]
        Measured(command)
    for _ in range(rounds):
        for runs, to in zip([*ways, None], measured):
            if cold:
                forget(paths)
            to.append(Measured(command) if runs is None else Reading(paths, runs))
    return measured


def middle(values, what):
    return statistics.median(getattr(v, what) for v in values)


def bench_report(tracedb, report, paths, rounds):
    """Prints and records it; returns the CPU time of all in ms, from memory."""
    n = len(paths)
    command = [tracedb, 'report', report, '--merged', '--limit', '20', *paths]
    ways = {'the calls': pages_of(paths[0], {'call': None}), 'what it needs': pages_of(paths[0], dict.fromkeys(SMALL) | REPORTS[report])}
    read = [f'{sum(length for _, length in runs) / 1e6:.2f} {what}' for what, runs in ways.items()]
    print(f'  {report} of {n}: {bytes_read(command) / n / 1e6:.2f} MB of each are read, of {paths[0].stat().st_size / 1e6:.2f}; MB: {", ".join(read)}')
    in_memory = 0
    for cold in (True, False):
        *readings, reports = compare(command, paths, ways.values(), cold, rounds)
        each = [r.cpu_s * 1e3 / n for r in reports]
        where = 'from disk' if cold else 'in memory'
        print(f'    {where}: wall {spread([r.wall_s for r in reports])}; CPU time of each {statistics.median(each):.2f} ms'
              f' ({min(each):.2f} .. {max(each):.2f}); peak {max(r.rss_mib for r in reports):.0f} MiB')
        for what, reading in zip(ways, readings):
            wall, cpu = middle(reading, 'wall_s'), middle(reading, 'cpu_s')
            print(f'      reading {what:<13} {spread([r.wall_s for r in reading])}, CPU time of each {cpu * 1e3 / n:.2f} ms: {middle(reports, "wall_s") / wall:.2f}x'
                  f' by the clock, {middle(reports, "cpu_s") / cpu:.2f}x in CPU time, {middle(reports, "cpu_s") / CPUS / wall:.2f}x on {CPUS} CPUs to itself')
            record(f'merged {report} and reading {what}{" from disk" if cold else ""}', n, middle(reports, 'wall_s'), wall, 's')
        in_memory = middle(reports, 'cpu_s') * 1e3
    return in_memory


def bench_fleet(programs, counts, rounds):
    tracedb = programs / 'cli/tracedb'
    costs = {report: [] for report in REPORTS}
    print(f'\none report of databases of {ROWS} events, {rounds} rounds: median (min .. max)')
    for n in counts:
        paths = make(programs, n)
        for report, ms in costs.items():
            ms.append(bench_report(tracedb, report, paths, rounds))
        bench_merge(tracedb, paths)
    for report, ms in costs.items():
        more = [f'{n}: {b / n:.2f}' for n, b in zip(counts, ms)]
        beyond = [f'{(b - a) / (n - m):.2f} beyond {m}' for m, n, a, b in zip(counts, counts[1:], ms, ms[1:])]
        print(f'  {report}: ms of CPU time a database, of {", of ".join(more + beyond)}')


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
