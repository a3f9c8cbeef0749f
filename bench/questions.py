# SPDX-License-Identifier: MIT
"""Questions about a part of the run, and about pairs of intervals, side by side with DuckDB on its own file of the same calls. Both
must answer the same."""
import re
import sqlite3
import statistics
import subprocess
import sys
import time

from duckdb import ask, duckdb
from figures import Measured, record, remove, spread
from imports import generate

# What DuckDB gets of a call: names beside the ids, so that no statement has to join.
CALLS = """SELECT c.id, c.start_ns, c.dur_ns, c.done_bytes, c.op_id, o.verb, c.process_id, p.pid, c.file_id, coalesce(f.path, f.name)
FROM call AS c JOIN op AS o ON o.id = c.op_id LEFT JOIN process AS p ON p.id = c.process_id LEFT JOIN file AS f ON f.id = c.file_id"""
LOAD = """CREATE TABLE call (id BIGINT, start_ns BIGINT, dur_ns BIGINT, done_bytes BIGINT, op_id BIGINT, verb VARCHAR, process_id BIGINT, \
pid BIGINT, file_id BIGINT, file VARCHAR)
COPY call FROM '{csv}' (FORMAT csv, HEADER true)
CHECKPOINT
"""
GROUPINGS = ('op', 'process,verb', 'file,process,verb')
COLUMNS = {'op': 'op_id', 'process': 'process_id', 'file': 'file_id'}
MEASURES = 'calls, done_bytes, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns'
SAME_MEASURES = """count(*), sum(done_bytes), sum(dur_ns), min(dur_ns), max(dur_ns), median(dur_ns), \
quantile_disc(dur_ns, 0.95), quantile_disc(dur_ns, 0.99)"""
# How much of all calls lies in the first microsecond of every second one: intervals that overlap are one, each knows the length of all before it, and
# the last one that begins before a time is found by a join of DuckDB's that is made for it.
INTERVALS = 'SELECT start_ns, start_ns + 1000 FROM call WHERE id % 2 = 0'
PAIRS = """WITH i AS (SELECT start_ns AS s, start_ns + 1000 AS e FROM call WHERE id % 2 = 0), \
m AS (SELECT s, e, max(e) OVER (ORDER BY s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached FROM i), \
g AS (SELECT s, e, sum(CASE WHEN s <= reached THEN 0 ELSE 1 END) OVER (ORDER BY s ROWS UNBOUNDED PRECEDING) AS island FROM m), \
u AS (SELECT min(s) AS s, max(e) AS e FROM g GROUP BY island), \
l AS (SELECT s, e, sum(e - s) OVER (ORDER BY s ROWS UNBOUNDED PRECEDING) - (e - s) AS length FROM u), \
c AS (SELECT start_ns AS s, start_ns + dur_ns AS e FROM call), \
w AS (SELECT c.s, c.e, coalesce(l.length + least(c.s, l.e) - l.s, 0) AS until_s, l.e AS within FROM c ASOF LEFT JOIN l ON c.s >= l.s), \
v AS (SELECT w.*, coalesce(l.length + least(w.e, l.e) - l.s, 0) AS until_e FROM w ASOF LEFT JOIN l ON w.e >= l.s) \
SELECT count(*) FILTER (until_e > until_s OR (e = s AND s < within)), sum(until_e - until_s) FROM v"""


def asked(tracedb, db, sql):
    """Columns and rows of a query; values are texts, or None."""
    found = subprocess.run([tracedb, 'query', '--format', 'tsv', db, sql], stdout=subprocess.PIPE, text=True, check=True)
    columns, *rows = [line.split('\t') for line in found.stdout.splitlines()]
    return columns, [[value or None for value in row] for row in rows]


def load(tracedb, command, db, other):
    """DuckDB's file of the calls of db."""
    remove(other)
    path = other.with_suffix('.csv')
    subprocess.run([tracedb, 'query', '--format', 'csv', '--output', path, db, CALLS], check=True)
    ask(command, other, LOAD.format(csv=path).splitlines())
    remove(path)


def filters(tracedb, db):
    """Name, condition of call_stat, and the same one of DuckDB's table. The process does a ninth of the calls, a tenth of the files is asked for."""
    _, ((first, last, pid),) = asked(tracedb, db, 'SELECT min(start_ns), max(start_ns), (SELECT max(pid) FROM process) FROM call')
    _, ((begin, end),) = asked(tracedb, db, "SELECT start_ns, end_ns FROM phases WHERE label = 'epoch 3'")
    first, length = int(first), int(last) - int(first)
    at = first + length * 2 // 5
    for name, end_of in (('2 %', at + length // 50), ('10 %', at + length // 10)):
        yield name, f'since_ns = {at} AND until_ns = {end_of}', f'start_ns >= {at} AND start_ns < {end_of}'
    yield 'phase', "in_phase = 'epoch 3'", f'start_ns >= {begin} AND start_ns < {end}'
    yield 'process', f'of_pid = {pid}', f'pid = {pid}'
    yield 'files', "of_file = 'case_000*'", "starts_with(file, 'case_000')"
    yield 'none', f'since_ns = {first}', 'true'


def questions(tracedb, db):
    """Name, SQL of ours, SQL of DuckDB."""
    asked_for = list(filters(tracedb, db))
    for by in GROUPINGS:
        columns = ', '.join(COLUMNS.get(dim, dim) for dim in by.split(','))
        for name, ours, theirs in asked_for:
            yield (f'by {by}, {name}', f"SELECT {columns}, {MEASURES} FROM call_stat WHERE by = '{by}' AND {ours}",
                   f'SELECT {columns}, {SAME_MEASURES} FROM call WHERE {theirs} GROUP BY {columns}')
    yield ('pairs', f"SELECT during_calls, during_ns FROM call_stat WHERE by = 'all' AND during = '{INTERVALS}'", PAIRS)


def plain(rows):
    """In one order, and numbers in one form: DuckDB's median of 4 and 5 is 4.5, and of two 5 is 5, where SQLite writes 5.0."""
    return sorted([re.sub(r'\.0$', '', value or '') for value in row] for row in rows)


def prove(tracedb, db, question, theirs):
    name, sql, _ = question
    _, ours = asked(tracedb, db, sql)
    if plain(ours) != plain(theirs):
        sys.exit(f'bench: {name}: tracedb has {len(ours)} rows, DuckDB {len(theirs)}, and they are not the same')


def shell_of(programs, db):
    """A connection to the database that has the extension; None, with the reason printed, where Python's sqlite3 takes none."""
    connection = sqlite3.connect(db)
    if not hasattr(connection, 'enable_load_extension'):
        print('statements in an open database are left out: this Python loads no extension of SQLite')
        return None
    connection.enable_load_extension(True)
    connection.load_extension(str(programs / 'analyzer/scan/tracedb.so'))
    return connection


def seconds_of(connection, sql):
    """Of a statement that was asked once before."""
    connection.execute(sql).fetchall()
    began = time.perf_counter()
    connection.execute(sql).fetchall()
    return time.perf_counter() - began


def bench_questions(programs, rows, rounds):
    """The same statement in a process of its own, from its start to its end; in an open database; and in DuckDB's, that it has open."""
    tracedb, command = programs / 'cli/tracedb', duckdb(programs)
    folder, _ = generate(programs, rows)
    db, other = folder.parent / 'tracedb.db', folder.parent / 'duckdb.db'
    subprocess.run([tracedb, 'import', '--quiet', '--force', '-o', db, folder], check=True)
    asking = list(questions(tracedb, db))
    times = {name: {'process': [], 'statement': [], 'duckdb': []} for name, _, _ in asking}
    connection = shell_of(programs, db)
    if command:
        load(tracedb, command, db, other)
    for i in range(rounds):
        for name, sql, _ in asking:
            times[name]['process'].append(Measured([tracedb, 'query', '--format', 'tsv', db, sql]).wall_s)
            if connection:
                times[name]['statement'].append(seconds_of(connection, sql))
        if command:
            answers = ask(command, other, [sql for _, _, same in asking for sql in (same, same)])[1::2]
            for question, (seconds, found) in zip(asking, answers):
                times[question[0]]['duckdb'].append(seconds)
                if i == 0:
                    prove(tracedb, db, question, found)
    show(times, rows, rounds)
    if connection:
        connection.close()
    remove(db, other)


def show(times, rows, rounds):
    print(f'\nquestions about {rows} calls, {rounds} rounds in turn: median (min .. max)')
    for name, by in times.items():
        print(f'  {name:<28}' + ''.join(f' {which} {spread(found)}' for which, found in by.items() if found), end='')
        ours, theirs = (statistics.median(found) if found else 0 for found in (by['statement'] or by['process'], by['duckdb']))
        print(f'  ratio {theirs / ours:.2f}' if theirs else '')
        record(f'question {name}', rows, ours, theirs, 's')
