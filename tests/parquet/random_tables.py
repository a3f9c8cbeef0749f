#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random tables (random.c) as DuckDB reads them from Parquet, value by value against CSV of the same rows.

usage: random_tables.py RANDOM-TABLES DUCKDB.JS NODE-MODULES [SEED [COUNT]]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


class Duckdb:
    """Statements, all of them by one process."""

    def __init__(self, script, modules):
        self.script = script
        self.environment = {**os.environ, 'NODE_PATH': modules}
        if not shutil.which('node'):
            print('skipped: there is no node')
            sys.exit(SKIP)
        if not os.path.isdir(f'{modules}/@duckdb/node-api'):
            print(f'skipped: there is no @duckdb/node-api in {modules}')
            sys.exit(SKIP)

    def run(self, statements):
        """Their rows, of each as a list of lists of text."""
        done = subprocess.run(['node', self.script], input='\n'.join(statements), env=self.environment,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'DuckDB: {done.stderr}')
        return [json.loads(line)[1] for line in done.stdout.splitlines()]


def columns_of(csv):
    with open(csv) as f:
        return [column.split(' ') for column in f.readline().rstrip('\n').split(',')]


def statement(folder, number):
    """Rows that differ, and all rows of both."""
    columns = columns_of(f'{folder}/{number}.csv')
    types = ', '.join(f"'{name}': '{kind}'" for name, kind in columns)
    differs = []
    for name, kind in columns:
        value = f"'x' || hex(encode(p.{name}))" if kind == 'VARCHAR' else f'p.{name}'
        differs.append(f"{value} IS DISTINCT FROM t.{name} OR typeof(p.{name}) <> '{kind}'")
    text = f"read_csv('{folder}/{number}.csv', header=false, skip=1, auto_detect=false, delim=',', columns={{{types}}})"
    parquet = f"read_parquet('{folder}/{number}.parquet')"
    return [f"SELECT (SELECT count(*) FROM {parquet}), (SELECT count(*) FROM {text}), "
            f"(SELECT count(*) FROM {parquet} p POSITIONAL JOIN {text} t WHERE {' OR '.join(differs)})",
            # bounds are told, and are those of the values
            *[f"SELECT count(*) FROM (SELECT row_group_id, stats_null_count FROM parquet_metadata('{folder}/{number}.parquet') "
              f"WHERE path_in_schema = '{name}' AND num_values < coalesce(stats_null_count, -1))" for name, _ in columns],
            *[f"SELECT count(*) FROM {parquet} WHERE {name} > (SELECT max({name}) FROM {text}) "
              f"OR {name} < (SELECT min({name}) FROM {text})" for name, kind in columns if kind == 'BIGINT']]


def main(program, script, modules, seed='1', count='60'):
    duckdb = Duckdb(script, modules)
    failed = 0
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as folder:
        subprocess.run([program, folder, seed, count], check=True)
        statements = [statement(folder, i) for i in range(int(count))]
        results = iter(duckdb.run([s for group in statements for s in group]))
        rows = 0
        for i, group in enumerate(statements):
            (got, want, different), *others = [next(results)[0] for _ in group]
            rows += int(want)
            if got != want or different != '0' or any(o != ['0'] for o in others):
                failed += 1
                print(f'seed {seed}, table {i}: {got} rows, want {want}; {different} differ; {others}')
    print(f'{count} tables, {rows} rows, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
