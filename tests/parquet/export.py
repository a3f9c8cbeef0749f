#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb export --to parquet' as DuckDB reads it, against the database: every table, row and value, and what keys mean.

usage: export.py TRACEDB DUCKDB.JS NODE-MODULES INPUT...     what is to be imported, one database each
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

from random_tables import Duckdb

# What stands behind a key, said independently of the exporter.
MEANT = {
    'call': 'SELECT op, layer, verb, kind, pid, process, tid, file, file_class, args, source FROM calls ORDER BY id',
    'block_request': 'SELECT device, pid, process, done_pid, done_process, source FROM requests ORDER BY id',
    'span': '''SELECT (SELECT text FROM string WHERE id = kind_id), (SELECT text FROM string WHERE id = name_id) FROM span ORDER BY id''',
    'sample': 'SELECT t.name, t.unit FROM sample AS s JOIN track AS t ON t.id = s.track_id ORDER BY s.id',
}
NAMES = {
    'call': 'op, layer, verb, kind, pid, process, tid, file, file_class, args, source',
    'block_request': 'device, pid, process, done_pid, done_process, source',
    'span': 'kind, name',
    'sample': 'track, unit',
}


def alike(got, want):
    if got is None or want is None:
        return got is want
    return float(got) == want if isinstance(want, float) else got == str(want)


def compare(what, got, want):
    """How many rows are not alike."""
    bad = [i for i, (g, w) in enumerate(zip(got, want)) if len(g) != len(w) or not all(map(alike, g, w))]
    for i in bad[:3]:
        print(f'{what}: row {i}: {got[i]}, want {want[i]}')
    if len(got) != len(want):
        print(f'{what}: {len(got)} rows, want {len(want)}')
    return len(bad) + (len(got) != len(want))


def tables(db):
    return [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]


def check(tracedb, duckdb, path, scratch):
    database, lake = f'{scratch}/x.db', f'{scratch}/lake'
    subprocess.run([tracedb, 'import', '-q', '--force', '-o', database, path], check=True)
    subprocess.run([tracedb, 'export', '-q', '--force', '--run', 'one', database, '--to', f'parquet={lake}'], check=True)
    db = sqlite3.connect(f'file:{database}?mode=ro', uri=True)
    statements, wanted = [], []
    for table in tables(db):
        columns = ', '.join(f'hex("{row[1]}")' if row[2] == 'BLOB' else f'"{row[1]}"' for row in db.execute(f'PRAGMA table_info({table})'))
        # the order of rows is that of rowids
        rowid = 'rowid' if not db.execute('SELECT wr FROM pragma_table_list WHERE name = ?', (table,)).fetchone()[0] else columns
        parquet = f"read_parquet('{lake}/{table}/run=*/*.parquet', hive_partitioning = true, file_row_number = true) ORDER BY file_row_number"
        statements.append(f'SELECT {columns} FROM {parquet}')
        wanted.append((table, db.execute(f'SELECT {columns} FROM {table} ORDER BY {rowid}').fetchall()))
        statements.append(f"SELECT DISTINCT run FROM {parquet.split(' ORDER')[0]}")
        wanted.append((f'{table}: run', [('one',)] if wanted[-1][1] else []))
        if table in MEANT:
            statements.append(f'SELECT {NAMES[table]} FROM {parquet}')
            wanted.append((f'{table}: names', db.execute(MEANT[table]).fetchall()))
    statements.append("SELECT count(*) FROM parquet_kv_metadata('" + f"{lake}/call/run=one/part-0.parquet') "
                      "WHERE decode(key) = 'tracedb.run_id' AND decode(value) = 'one'")
    wanted.append(('metadata', [(1,)]))
    results = duckdb.run(statements)
    failed = sum(compare(f'{os.path.basename(path)}: {what}', got, want) for got, (what, want) in zip(results, wanted))
    db.close()
    return failed, sum(len(rows) for _, rows in wanted)


def main(tracedb, script, modules, *inputs):
    duckdb = Duckdb(script, modules)
    failed = rows = 0
    for path in inputs:
        with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
            bad, n = check(tracedb, duckdb, path, scratch)
            failed, rows = failed + bad, rows + n
    print(f'{len(inputs)} databases, {rows} rows, {failed} failed')
    return 1 if failed or not rows else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
