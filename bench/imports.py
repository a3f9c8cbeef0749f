# SPDX-License-Identifier: MIT
"""Imports of bpftrace text, side by side with the same rows as CSV in other databases, and by number of rows."""
import shutil
import statistics
import subprocess
import sys

from duckdb import ask, duckdb
from figures import DATA, ROOT, Measured, record, remove, spread, warm

SQLITE_IMPORT = """.mode csv
CREATE TABLE vfs_rw (ts_ns INTEGER, time TEXT, pid INTEGER, comm TEXT, rw TEXT, lat_ns INTEGER,
    requested_bytes INTEGER, returned_bytes INTEGER, file TEXT);
.import '{csv}' vfs_rw
"""
DUCKDB_IMPORT = """CREATE TABLE vfs_rw (ts_ns BIGINT, time VARCHAR, pid BIGINT, comm VARCHAR, rw VARCHAR, lat_ns BIGINT, \
requested_bytes BIGINT, returned_bytes BIGINT, file VARCHAR)
COPY vfs_rw FROM '{csv}' (FORMAT csv, HEADER false)
CHECKPOINT
"""
PROOF = 'SELECT count(*), sum(lat_ns), sum(returned_bytes), sum(length(file)) FROM vfs_rw'

SMALL = 100 # rows of an input that costs nothing but the process and the database
MANY = 1000000 # from here on a few runs are enough
SIZES = (10000, 100000, 1000000, 10000000)


# Rows, and what bench-generate takes behind them: files and processes, and whether each file is read once in an epoch.
SHAPES = ((1000000, (1000, 8)), (1000000, (2300, 80)), (1000000, (300000, 8)), (11520000, (1280000, 64, 'epochs')))


def generate(programs, rows, shape=()):
    """Made once and kept: it is always the same."""
    path = DATA / '-'.join(map(str, (rows, *shape)))
    folder, csv = path / 'run', path / 'rows.csv'
    if not csv.exists():
        print(f'generating {rows} rows in {folder.parent.relative_to(ROOT)}')
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.mkdir(parents=True)
        unfinished = csv.with_suffix('.part')
        subprocess.run([programs / 'bench/bench-generate', str(rows), folder, unfinished, *map(str, shape)], check=True)
        unfinished.rename(csv)
    return folder, csv


def prove(sqlite3_db, duckdb_command, duckdb_db):
    """Both have loaded the same rows, or the comparison is worth nothing."""
    ours = subprocess.run(['sqlite3', sqlite3_db, PROOF], capture_output=True, text=True, check=True).stdout.strip()
    ((_, (row,)),) = ask(duckdb_command, duckdb_db, [PROOF])
    if ours != '|'.join(row):
        sys.exit(f'bench: DuckDB has loaded {"|".join(row)}, sqlite3 {ours}')


def bench_shapes(programs, rounds, rows=None):
    """Many files and processes; rows: instead of those of each shape, with as much fewer files."""
    for usual, (files, *others) in SHAPES:
        fewer = files * rows // usual if rows and 'epochs' in others else files
        remove(bench_import(programs, rows or usual, rounds, (fewer, *others)))


def bench_import(programs, rows, rounds, shape=()):
    """Returns the database."""
    folder, csv = generate(programs, rows, shape)
    (text_path,) = folder.glob('*.out')
    duck = duckdb(programs)
    names = ['tracedb', 'sqlite3'] + (['duckdb'] if duck else [])
    dbs = {name: csv.parent / f'{name}.db' for name in names}
    runs = {name: [] for name in names}
    commands = {
        'tracedb': ([programs / 'cli/tracedb', 'import', '--quiet', '-o', dbs['tracedb'], folder], None),
        'sqlite3': (['sqlite3', dbs['sqlite3']], SQLITE_IMPORT.format(csv=csv)),
        'duckdb': ([*(duck or []), dbs.get('duckdb')], DUCKDB_IMPORT.format(csv=csv)),
    }
    for _ in range(rounds):
        for name in names:
            remove(dbs[name])
            warm(text_path if name == 'tracedb' else csv)
            runs[name].append(Measured(*commands[name]))
    if duck:
        prove(dbs['sqlite3'], duck, dbs['duckdb'])
    of_shape = f', {" x ".join(map(str, shape))}' if shape else ''
    print(f'\nimport of {rows} rows of bpftrace text{of_shape}, {rounds} rounds in turn: median (min .. max)')
    for name, measured in runs.items():
        print(f'  {name}  wall {spread([run.wall_s for run in measured])}'
              f'  cpu {statistics.median(run.cpu_s for run in measured):.2f} s'
              f'  peak {max(run.rss_mib for run in measured):.0f} MiB')
    medians = {name: statistics.median(run.wall_s for run in measured) for name, measured in runs.items()}
    peak = max(run.rss_mib for run in runs['tracedb'])
    ratios = ', '.join(f'{medians[name] / medians["tracedb"]:.2f} ({name})' for name in names[1:])
    print(f'  ratio {ratios}; {rows / medians["tracedb"] / 1e6:.2f} million rows/s')
    sizes = {name: db.stat().st_size / rows for name, db in dbs.items()}
    text = text_path.stat().st_size / rows
    print(f'  database {sizes["tracedb"]:.1f} bytes per event with indexes and derived tables; '
          + ', '.join(f'{name} {sizes[name]:.1f}' for name in names[1:]) + f' without; text {text:.1f}')
    record('import' + of_shape, rows, medians['tracedb'], medians['sqlite3'], 's')
    if duck:
        record('import, DuckDB' + of_shape, rows, medians['tracedb'], medians['duckdb'], 's')
    record('import peak memory' + of_shape, rows, peak, 0, 'MiB')
    record('database size' + of_shape, rows, sizes['tracedb'], sizes['sqlite3'], 'bytes/event')
    remove(*(dbs[name] for name in names[1:]))
    return dbs['tracedb']


def best(programs, rows):
    """The fastest of several imports: wall and CPU time, each by itself, and the most memory."""
    folder, _ = generate(programs, rows)
    db = DATA / f'{rows}' / 'tracedb.db'
    warm(folder / 'vfs_rw.out')
    runs = []
    for _ in range(3 if rows >= MANY else 9):
        remove(db) # replacing a file makes the file system write the new one out
        runs.append(Measured([programs / 'cli/tracedb', 'import', '--quiet', '-o', db, folder]))
    remove(db)
    return min(run.wall_s for run in runs), min(run.cpu_s for run in runs), max(run.rss_mib for run in runs)


def bench_flat(programs):
    """Does a row cost the same however many there are? Less what an import of SMALL rows takes."""
    start_wall_s, start_cpu_s, _ = best(programs, SMALL)
    print(f'\nimport of bpftrace text by number of rows, best of several, less the {start_wall_s * 1e3:.0f} ms of {SMALL} rows')
    print(f'  {"rows":>10}{"wall":>12}{"CPU":>12}{"peak":>12}')
    cpu_ns = []
    for rows in SIZES:
        wall_s, cpu_s, peak = best(programs, rows)
        wall_ns = (wall_s - start_wall_s) / (rows - SMALL) * 1e9
        cpu_ns.append((cpu_s - start_cpu_s) / (rows - SMALL) * 1e9)
        print(f'  {rows:10}{wall_ns:9.0f} ns{cpu_ns[-1]:9.0f} ns{peak:8.0f} MiB', flush=True)
        record('flat, CPU time per row', rows, cpu_ns[-1], 0, 'ns')
    print(f'  dearest by cheapest: {max(cpu_ns) / min(cpu_ns):.2f}')
