# SPDX-License-Identifier: MIT
"""What a file costs beside its bytes: a folder of many small ones of each format, of two sizes."""
import shutil

import formats
from figures import DATA, Measured, record, remove, warm

FILES = 1000
LINES = (20, 200) # of each of them
ROUNDS = 5


def make_many(name, lines, folder):
    """FILES of that format, each with other values; bytes of all."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    size = 0
    for i in range(FILES):
        formats.Source.files = i
        path = formats.make(name, lines, folder.parent)
        size += path.stat().st_size
        path.rename(folder / f'{i:04d}-{path.name}')
    formats.Source.files = 0
    return size


def cpu_s(tracedb, path):
    """Of the best of several imports."""
    db = DATA / 'small' / 'tracedb.db'
    warm(*(path.iterdir() if path.is_dir() else [path]))
    runs = []
    for _ in range(ROUNDS):
        remove(db)
        runs.append(Measured([tracedb, 'import', '--quiet', '-o', db, path]).cpu_s)
    remove(db)
    return min(runs)


def per_file(tracedb, name, lines):
    """Bytes of a file, and us that each takes beyond the first."""
    folder = DATA / 'small' / 'job'
    size = make_many(name, lines, folder) / FILES
    seconds = cpu_s(tracedb, folder) - cpu_s(tracedb, next(folder.iterdir()))
    shutil.rmtree(folder)
    return size, seconds / (FILES - 1) * 1e6


def bench_small(tracedb, names):
    """The setup of a file is what is left of its time at no bytes at all, on the line through both sizes."""
    print(f'\n{FILES} files of a format in a folder, {" and ".join(map(str, LINES))} lines each: CPU time, best of {ROUNDS}')
    print(f'  {"":<15}{"bytes":>9}{"us":>7}{"bytes":>9}{"us":>7}{"us a kB":>10}{"setup, us":>12}')
    for name in names:
        (few, few_us), (many, many_us) = (per_file(tracedb, name, lines) for lines in LINES)
        byte_us = (many_us - few_us) / (many - few) if many > few else 0
        setup_us = few_us - byte_us * few
        print(f'  {name:<15}{few:9.0f}{few_us:7.0f}{many:9.0f}{many_us:7.0f}{byte_us * 1e3:10.2f}{setup_us:12.0f}', flush=True)
        record(f'small files, {name}, setup', FILES, setup_us, 0, 'us CPU a file')
        record(f'small files, {name}, a kB', FILES, byte_us * 1e3, 0, 'us CPU')
