# SPDX-License-Identifier: MIT
"""Export to Parquet, side by side with DuckDB's COPY of the same tables, by two threads each."""
import shutil
import statistics
import sys

from duckdb import ask, duckdb
from figures import Measured, record, remove, spread, warm
from imports import generate

PROOF = "SELECT count(*), sum(hash(COLUMNS(*))::HUGEINT) FROM read_parquet('{}', hive_partitioning = false)"


def parts_of(folder):
    """The file of each table that has rows."""
    return {part.parts[-3]: part for part in sorted(folder.glob('*/run=*/part-0.parquet'))}


def copies(parts, folder):
    """Statements; the codec is the one that export writes."""
    return [f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet, COMPRESSION zstd)" for table in parts]


def prove(command, parts, folder):
    """Both have written the same rows, or the comparison is worth nothing: number and a sum of hashes of each column, of each table."""
    for table, part in parts.items():
        (_, ours), (_, theirs) = ask(command, ':memory:', [PROOF.format(part), PROOF.format(folder / f'{table}.parquet')])
        if ours != theirs:
            sys.exit(f'bench: {table}: DuckDB has written {theirs}, tracedb {ours}')


def bench_parquet(programs, rows, rounds):
    """Whole processes of tracedb against the statements alone of DuckDB, which has the tables in a file of its own."""
    folder, csv = generate(programs, rows)
    command = duckdb(programs)
    tracedb = programs / 'cli/tracedb'
    ours, theirs = csv.parent / 'tracedb.parquet', csv.parent / 'duckdb.parquet'
    db, duck_db = csv.parent / 'tracedb.db', csv.parent / 'exported.duckdb'
    remove(db, duck_db)
    Measured([tracedb, 'import', '--quiet', '-o', db, folder])
    export = ['taskset', '-c', '0,1', tracedb, 'export', '-q', '--force', db, '--to', f'parquet={ours}', '--run', 'bench']
    shutil.rmtree(ours, ignore_errors=True)
    Measured(export)
    parts = parts_of(ours)
    theirs.mkdir(exist_ok=True)
    if command:
        ask(command, duck_db, [f"CREATE TABLE {table} AS SELECT * FROM read_parquet('{part}', hive_partitioning = false)"
                               for table, part in parts.items()] + ['CHECKPOINT'])
    runs, copied = [], []
    for _ in range(rounds):
        warm(db)
        runs.append(Measured(export))
        if command:
            warm(duck_db)
            copied.append(sum(seconds for seconds, _ in ask(command, duck_db, copies(parts, theirs))))
    walls = [run.wall_s for run in runs]
    size = sum(part.stat().st_size for part in parts.values())
    print(f'\n{rows} events as Parquet ({len(parts)} tables), {rounds} rounds in turn, two threads: median (min .. max)')
    print(f'  tracedb  {spread(walls)}  peak {max(run.rss_mib for run in runs):.0f} MiB  {size / rows:.1f} bytes/event')
    if command:
        prove(command, parts, theirs)
        size = sum((theirs / f'{table}.parquet').stat().st_size for table in parts)
        ratios = [other / own for own, other in zip(walls, copied)]
        print(f'  DuckDB   {spread(copied)}  {size / rows:.1f} bytes/event')
        print(f'  DuckDB / tracedb {statistics.median(ratios):.2f} ({min(ratios):.2f} .. {max(ratios):.2f})')
    record('export parquet, DuckDB', rows, statistics.median(walls), statistics.median(copied) if copied else 0, 's')
    remove(db, duck_db)
    for written in (ours, theirs):
        shutil.rmtree(written)
