# SPDX-License-Identifier: MIT
"""Is the time that a line takes the same however many there are? Every format, from ten thousand lines to a million."""
import os

import formats
from figures import DATA, Measured, record, remove, warm

SMALL = 100 # lines of an input that costs nothing but the process and the database
MANY = 100000 # from here on a few runs are enough
MLLOG_LINES = 19200 # 4 MB, as the largest logs that are published


def best(tracedb, name, lines):
    """Wall and CPU time of the best of several imports of so many lines, and the size of the input."""
    folder = DATA / 'formats'
    folder.mkdir(parents=True, exist_ok=True)
    path, db = formats.make(name, lines, folder), folder / 'tracedb.db'
    warm(path)
    os.sync() # what was just made is not to be written out while it is read
    runs = []
    for _ in range(5 if lines > MANY else 9):
        remove(db) # replacing a file makes the file system write the new one out
        runs.append(Measured([tracedb, 'import', '--quiet', '-o', db, path]))
    size = path.stat().st_size
    remove(path, db)
    return min(run.wall_s for run in runs), min(run.cpu_s for run in runs), size


def bench_formats(tracedb, names, sizes):
    """Per line: CPU time of all threads, less that of an input of SMALL lines."""
    print('\nimport of every format, database included, best of several; CPU time per line (or row, or event) in ns, by number of them')
    print(f'  {"":<14}{"lines/s":>12}{"MB/s":>8}' + ''.join(f'{lines:>12}' for lines in sizes) + '  last:first')
    for name in names:
        _, start_s, _ = best(tracedb, name, SMALL)
        per_line_s, wall_s, size = [], 0, 0
        for lines in sizes:
            wall_s, cpu_s, size = best(tracedb, name, lines)
            per_line_s.append((cpu_s - start_s) / (lines - SMALL))
        ratio = per_line_s[-1] / per_line_s[0]
        print(f'  {name:<14}{sizes[-1] / wall_s:12.0f}{size / wall_s / 1e6:8.0f}' +
              ''.join(f'{seconds * 1e9:12.0f}' for seconds in per_line_s) + f'{ratio:12.2f}', flush=True)
        record(f'format {name}', sizes[-1], size / wall_s / 1e6, 0, 'MB/s')
        record(f'format {name}, time per line', sizes[-1], ratio, 0, f'of that of {sizes[0]}')
    if 'mllog' in names:
        bench_whole_log(tracedb)


def bench_whole_log(tracedb):
    """As somebody waits for it: one training log of the largest usual size, the start of the process included."""
    wall_s, cpu_s, size = best(tracedb, 'mllog', MLLOG_LINES)
    print(f'  {size / 1e6:.1f} MB of mllog: {wall_s * 1e3:.0f} ms, CPU {cpu_s * 1e3:.0f} ms')
    record('mllog, 4 MB', MLLOG_LINES, wall_s, 0, 's')
    record('mllog, 4 MB, CPU', MLLOG_LINES, cpu_s, 0, 's')
