# SPDX-License-Identifier: MIT
"""Reports on calls with each of their filters, side by side with equal statements of DuckDB on its own file of the same calls. Both must
answer the same."""
import re
import resource
import statistics
import subprocess
import sys
import time

from duckdb import ask, duckdb
from figures import Measured, record, remove, spread, warm
from filters import has_data, options_of, parameters
from imports import generate
from questions import asked, shell_of

# What DuckDB gets: names beside the ids of calls, so that few statements have to join, and the files for what is said of these.
TABLES = {
    'file': ("id BIGINT, file VARCHAR, name VARCHAR, class VARCHAR, template VARCHAR",
             "SELECT f.id, coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)'), f.name, f.class, t.text"
             ' FROM file AS f LEFT JOIN string AS t ON t.id = f.template_id'),
    'call': ("id BIGINT, start_ns BIGINT, dur_ns BIGINT, ret BIGINT, done_bytes BIGINT, offset_bytes BIGINT, nested BIGINT, op_id BIGINT, op VARCHAR,"
             ' layer VARCHAR, verb VARCHAR, kind VARCHAR, process_id BIGINT, pid BIGINT, process VARCHAR, role VARCHAR, thread_id BIGINT, tid BIGINT,'
             ' file_id BIGINT, file VARCHAR, class VARCHAR, template VARCHAR',
             'SELECT c.id, c.start_ns, c.dur_ns, c.ret, c.done_bytes, c.offset_bytes, c.nested, c.op_id, o.name, o.layer, o.verb, o.kind,'
             ' c.process_id, p.pid, p.name, p.role, c.thread_id, t.tid, c.file_id, coalesce(nullif(f.path, \'\'), nullif(f.name, \'\'), \'(no name)\'), f.class,'
             ' (SELECT text FROM string WHERE id = f.template_id)'
             ' FROM call AS c JOIN op AS o ON o.id = c.op_id LEFT JOIN process AS p ON p.id = c.process_id'
             ' LEFT JOIN thread AS t ON t.id = c.thread_id LEFT JOIN file AS f ON f.id = c.file_id'),
}

WAITING = "('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')"
LOW = 'CASE WHEN {0} = 0 THEN 0 ELSE 1::BIGINT << floor(log2({0}))::INTEGER END'
IO = "FROM call WHERE nested = 0 AND kind = 'io' AND {w}"
STEPS = """SELECT *, CASE WHEN offset_bytes IS NOT NULL AND done_bytes IS NOT NULL THEN (offset_bytes = lag(offset_bytes + done_bytes, 1, 0) OVER \
(PARTITION BY process_id, file_id, verb, offset_bytes IS NULL OR done_bytes IS NULL ORDER BY id))::INTEGER END AS step """
BY_VERB = """count(*) FILTER (verb = 'open') AS opens, count(*) FILTER (verb = 'read') AS reads, count(*) FILTER (verb = 'write') AS writes, \
count(*) FILTER (ret < 0) AS errors, sum(done_bytes) FILTER (verb = 'read') AS read_bytes, sum(done_bytes) FILTER (verb = 'write') AS write_bytes, \
sum(dur_ns) AS total_ns"""
BY_VERB_COLUMNS = 'opens,reads,writes,errors,read_bytes,write_bytes,total_ns'
P50_SIZE = LOW.format('b')

FILE_IO = f"""WITH c AS ({STEPS} {IO} AND verb <> 'socket' AND coalesce(class, '') NOT IN {WAITING}) \
SELECT any_value(file) AS f, {BY_VERB}, 100.0 * total_ns / sum(total_ns) OVER (), median(dur_ns) FILTER (verb = 'read'), \
quantile_disc(dur_ns, 0.99) FILTER (verb = 'read'), median(dur_ns) FILTER (verb = 'write'), quantile_disc(dur_ns, 0.99) FILTER (verb = 'write'), \
{LOW.format("(quantile_disc(done_bytes, 0.5) FILTER (verb = 'read'))")}, 100.0 * sum(step) / count(step) FROM c GROUP BY file_id"""

HISTOGRAM = """SELECT verb, """ + LOW + """ AS low, count(*), sum({0}) """ + IO.replace('{w}', '{{w}}') + """ AND {0} >= 0 GROUP BY verb, low"""

# Report, what is compared of it, and DuckDB's statement.
STATEMENTS = {
    'osrt_sum': (
        'name,calls,total_ns,med_ns,min_ns,max_ns,stddev_ns,p95_ns,p99_ns,errors',
        """SELECT op, count(*), sum(dur_ns), median(dur_ns), min(dur_ns), max(dur_ns), round(stddev_samp(dur_ns), 1), quantile_disc(dur_ns, 0.95), \
quantile_disc(dur_ns, 0.99), count(*) FILTER (ret < 0) FROM call WHERE nested = 0 AND layer <> 'cuda' AND {w} GROUP BY op_id, op"""),
    'file_io': (
        f'file,{BY_VERB_COLUMNS},time_pct,read_p50_ns,read_p99_ns,write_p50_ns,write_p99_ns,read_p50_bytes,sequential_pct', FILE_IO),
    'file_io --limit 20': (
        f'file,{BY_VERB_COLUMNS},time_pct,read_p50_ns,read_p99_ns,write_p50_ns,write_p99_ns,read_p50_bytes,sequential_pct',
        FILE_IO + ' ORDER BY total_ns DESC, f LIMIT 20'),
    'io_by_process': (
        f'pid,{BY_VERB_COLUMNS},busiest_file,first_ns,last_ns',
        f"""WITH c AS (SELECT * {IO} AND coalesce(class, '') NOT IN {WAITING}), \
f AS (SELECT process_id, file_id, any_value(file) AS file, sum(dur_ns) AS ns FROM c GROUP BY process_id, file_id), \
b AS (SELECT process_id, arg_max(file, (ns, -file_id)) AS busiest FROM f GROUP BY process_id), \
p AS (SELECT process_id, any_value(pid) AS pid, {BY_VERB}, min(start_ns) AS first_ns, max(start_ns) AS last_ns FROM c WHERE verb <> 'socket' GROUP BY process_id) \
SELECT pid, opens, reads, writes, errors, read_bytes, write_bytes, total_ns, busiest, first_ns, last_ns FROM p JOIN b USING (process_id)"""),
    'bandwidth': (
        'name,read_bytes,write_bytes,read_max_bytes_per_s,bins,last_ns',
        f"""WITH m AS (SELECT process_id, any_value(pid || ' ' || process) AS name, start_ns // {{bin}} * {{bin}} AS bin, verb, sum(done_bytes) AS bytes, \
sum(dur_ns) AS ns {IO} AND verb IN ('read', 'write') AND coalesce(class, '') NOT IN {WAITING} GROUP BY process_id, bin, verb) \
SELECT any_value(name), sum(bytes) FILTER (verb = 'read'), sum(bytes) FILTER (verb = 'write'), \
max(1e9 * bytes / greatest({{bin}}, coalesce(ns, 0))) FILTER (verb = 'read'), count(DISTINCT bin), max(bin) \
FROM m GROUP BY process_id HAVING sum(bytes) > 0 ORDER BY sum(bytes) DESC LIMIT 30"""),
    'io_timeline': (
        'start_ns,opens,reads,read_bytes,writes,write_bytes,io_ns',
        f"""SELECT (start_ns // {{bin}} * {{bin}} - {{base}}) // {{width}} * {{width}} + {{base}} AS slot, count(*) FILTER (verb = 'open'), \
count(*) FILTER (verb = 'read'), sum(done_bytes) FILTER (verb = 'read'), count(*) FILTER (verb = 'write'), sum(done_bytes) FILTER (verb = 'write'), \
sum(dur_ns) {IO} GROUP BY slot"""),
    'latency_hist': ('what,low_ns,calls,total_ns', HISTOGRAM.format('dur_ns')),
    'size_hist': ('what,low_bytes,calls,bytes', HISTOGRAM.format('done_bytes')),
    'slowest': (
        'start_ns,dur_ns,op,pid,file',
        f"""SELECT start_ns, dur_ns, op, pid, file {IO} AND verb <> 'socket' AND dur_ns > 0 AND coalesce(class, '') NOT IN {WAITING} \
ORDER BY dur_ns DESC, id LIMIT 10"""),
    'errors': (
        'op,pid,file,calls,total_ns,processes,first_ns,last_ns',
        """SELECT op, NULL, any_value(file), count(*), sum(dur_ns), count(DISTINCT process_id), min(start_ns), max(start_ns) \
FROM call WHERE nested = 0 AND ret < 0 AND {w} GROUP BY op_id, op, ret, file_id"""),
    'small_io': (
        'name,op,small_calls,small_bytes,small_ns,ends',
        f"""SELECT template, verb, count(*) FILTER (done_bytes BETWEEN 1 AND 4095) AS small, sum(done_bytes) FILTER (done_bytes BETWEEN 1 AND 4095), \
sum(dur_ns) FILTER (done_bytes BETWEEN 1 AND 4095), count(*) FILTER (done_bytes = 0) {IO} AND verb IN ('read', 'write') \
GROUP BY template, verb HAVING small > 0"""),
    'open_storm': (
        'start_ns,opens,stats,errors,processes,total_ns',
        """SELECT start_ns // {second} * {second} AS slot, count(*) FILTER (verb = 'open'), count(*) FILTER (verb <> 'open'), count(*) FILTER (ret < 0), \
count(DISTINCT process_id), sum(dur_ns) FROM call WHERE nested = 0 AND verb IN ('open', 'stat', 'list') AND {w} GROUP BY slot \
ORDER BY count(*) DESC, slot LIMIT 20"""),
    'access_pattern': (
        'name,op,calls,sequential,random,bytes,p50_low_bytes,total_ns',
        f"""WITH c AS ({STEPS} {IO} AND verb IN ('read', 'write') AND class NOT IN {WAITING}) \
SELECT template, verb, count(*), sum(step), count(step) - sum(step), sum(done_bytes), {LOW.format('(quantile_disc(done_bytes, 0.5))')}, sum(dur_ns) \
FROM c GROUP BY template, verb HAVING sum(done_bytes) IS NOT NULL"""),
    'thread_sum': (
        'pid,tid,calls,total_ns,io_ns,errors,first_ns,last_ns',
        """SELECT any_value(pid), any_value(tid), count(*), sum(dur_ns) AS ns, \
sum(dur_ns) FILTER (kind = 'io' AND verb <> 'socket' AND coalesce(class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal')), \
count(*) FILTER (ret < 0), min(start_ns), max(start_ns) FROM call WHERE nested = 0 AND layer <> 'cuda' AND {w} GROUP BY process_id, thread_id \
ORDER BY ns DESC LIMIT 30"""),
    'cache': (
        'name,reads,read_bytes,reread_bytes',
        """WITH f AS (SELECT file_id, any_value(template) AS template, count(*) AS reads, sum(done_bytes) AS bytes, \
CASE WHEN count(offset_bytes + done_bytes) = count(*) THEN greatest(0, sum(done_bytes) - max(offset_bytes + done_bytes)) END AS again \
FROM call WHERE nested = 0 AND kind = 'io' AND verb = 'read' AND class = 'regular' AND done_bytes IS NOT NULL AND {w} GROUP BY file_id) \
SELECT CASE WHEN grouping(template) = 1 THEN '(all)' ELSE template END, sum(reads), sum(bytes), CASE WHEN count(again) = count(*) THEN sum(again) END FROM f \
GROUP BY GROUPING SETS ((template), ()) HAVING sum(reads) > 0"""),
    'device_class': (
        'device,files,calls,errors,reads,writes,read_bytes,write_bytes,total_ns,max_ns,busiest',
        f"""WITH f AS (SELECT file_id, any_value(file) AS file, any_value(class) AS class, count(*) AS calls, {BY_VERB}, max(dur_ns) AS max_ns {IO} GROUP BY file_id), \
d AS (SELECT *, CASE WHEN class IN ('shm', 'memfd') THEN 'shared memory' WHEN class IN ('eventfd', 'anon-inode') THEN 'events' WHEN class IN ('pipe', 'terminal', 'unnamed') \
THEN class ELSE 'file' END AS device FROM f) \
SELECT device, count(*), sum(calls), sum(errors), sum(reads), sum(writes), sum(read_bytes), sum(write_bytes), sum(total_ns), max(max_ns), \
arg_max(file, (total_ns, -file_id)) FROM d GROUP BY device"""),
    'anon_writers': (
        'class,name,files,writes,write_bytes,write_ns,reads,read_bytes,read_ns,first_ns,last_ns',
        """SELECT class, coalesce(nullif(template, ''), '(no name)'), count(DISTINCT file_id), count(*) FILTER (verb = 'write'), \
sum(done_bytes) FILTER (verb = 'write'), sum(dur_ns) FILTER (verb = 'write'), count(*) FILTER (verb = 'read'), sum(done_bytes) FILTER (verb = 'read'), \
sum(dur_ns) FILTER (verb = 'read'), min(start_ns), max(start_ns) FROM call WHERE nested = 0 AND kind = 'io' AND verb IN ('read', 'write') AND file_id IN \
(SELECT id FROM file WHERE class IN ('unnamed', 'anon-inode', 'eventfd', 'shm', 'memfd', 'pipe', 'socket', 'terminal', 'deleted')) \
AND {w} GROUP BY coalesce(role, process), class, template"""),
    'writes_timeline': (
        'start_ns,pid,writes,write_bytes,write_ns,top_class,top_file',
        f"""WITH f AS (SELECT (start_ns // {{bin}} * {{bin}} - {{base}}) // {{width}} * {{width}} + {{base}} AS slot, process_id, file_id, any_value(pid) AS pid, \
any_value(file) AS file, any_value(class) AS class, count(*) AS writes, sum(done_bytes) AS bytes, sum(dur_ns) AS ns {IO} AND verb = 'write' \
GROUP BY slot, process_id, file_id), \
c AS (SELECT slot, process_id, class, sum(writes) AS writes FROM f GROUP BY slot, process_id, class), \
t AS (SELECT slot, process_id, class FROM c QUALIFY row_number() OVER (PARTITION BY slot, process_id ORDER BY writes DESC, class) = 1), \
b AS (SELECT slot, process_id, any_value(pid) AS pid, sum(writes) AS writes, sum(bytes) AS bytes, sum(ns) AS ns, \
arg_max(file, (writes, bytes, -file_id)) AS file FROM f GROUP BY slot, process_id) \
SELECT slot, pid, writes, bytes, ns, class, file FROM b JOIN t USING (slot, process_id)"""),
    'socket_sum': (
        'pid,sends,sent_bytes,receives,received_bytes,total_ns,errors',
        """SELECT any_value(pid), count(*) FILTER (op LIKE '%send%' OR verb = 'write'), sum(done_bytes) FILTER (op LIKE '%send%' OR verb = 'write'), \
count(*) FILTER (op LIKE '%recv%' OR verb = 'read'), sum(done_bytes) FILTER (op LIKE '%recv%' OR verb = 'read'), sum(dur_ns) AS ns, count(*) FILTER (ret < 0) \
FROM call WHERE nested = 0 AND layer <> 'cuda' AND (verb = 'socket' OR verb IN ('read', 'write') AND class = 'socket') AND {w} GROUP BY process_id, file_id \
ORDER BY ns DESC LIMIT 30"""),
    'checkpoint': (
        'name,pid,files,writes,write_bytes,write_ns,syncs,sync_ns,renames,first_ns,last_ns',
        """SELECT template, any_value(pid), count(DISTINCT file_id) FILTER (verb = 'write'), count(*) FILTER (verb = 'write') AS writes, \
sum(done_bytes) FILTER (verb = 'write'), sum(dur_ns) FILTER (verb = 'write'), count(*) FILTER (verb = 'sync'), sum(dur_ns) FILTER (verb = 'sync'), \
count(*) FILTER (verb = 'rename'), min(start_ns), max(start_ns) FROM call WHERE nested = 0 AND kind = 'io' AND verb IN ('write', 'sync', 'rename') AND file_id IN \
(SELECT id FROM file WHERE class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'device', 'unnamed', 'directory', 'proc-sys') AND \
regexp_matches(lower(file), 'ckpt|checkpoint|\\.(pt|pth|bin|safetensors|distcp|h5|keras)$')) AND {w} GROUP BY template, process_id HAVING writes > 0"""),
}


def load(tracedb, command, db, other):
    """DuckDB's file of the calls of db."""
    remove(other)
    statements = []
    paths = {name: other.with_suffix(f'.{name}.csv') for name in TABLES}
    for name, (columns, sql) in TABLES.items():
        subprocess.run([tracedb, 'query', '--format', 'csv', '--output', paths[name], db, sql], check=True)
        statements += [f'CREATE TABLE {name} ({columns})', f"COPY {name} FROM '{paths[name]}' (FORMAT csv, HEADER true)"]
    ask(command, other, [*statements, 'CHECKPOINT'])
    remove(*paths.values())


def periods(tracedb, db):
    """Conditions of DuckDB's tables, and the times that they have, by the name of the filter."""
    _, ((begin, end),) = asked(tracedb, db, 'SELECT start_ns, end_ns FROM run')
    _, found = asked(tracedb, db, "SELECT label, start_ns, end_ns FROM phase_interval WHERE label IN ('epoch', 'epoch 3')")
    for name, needed, options in options_of(tracedb, db):
        times = [(int(begin), int(end))]
        where = 'true'
        if needed == 'start_ns':
            times = [tuple(int(begin) + int(t.rstrip('s')) * 10**9 for t in options[1].split('/'))]
        elif needed == 'phase':
            times = [(int(s), int(e)) for label, s, e in found if label == options[1]]
        elif needed == 'pid':
            where = f'pid = {options[1]}'
        elif needed == 'process':
            where = f"process = '{options[1]}'"
        elif needed == 'file':
            where = f"file GLOB '{options[1].split('=')[1]}'"
        if needed in ('start_ns', 'phase'):
            where = '(' + ' OR '.join(f'start_ns >= {s} AND start_ns < {e}' for s, e in times) + ')'
        yield name, needed, options, where, min(s for s, _ in times), max(e for _, e in times)


def questions(tracedb, db):
    """Name, command of ours, statement of DuckDB."""
    _, ((begin, end, unit),) = asked(tracedb, db, 'SELECT start_ns, end_ns, bin_ns FROM run')
    begin, end, unit = int(begin), int(end), int(unit)
    filters = list(periods(tracedb, db))
    for report, (columns, sql) in STATEMENTS.items():
        name, *limit = report.split()
        has = parameters(name)
        for filtered, needed, options, where, since, until in filters:
            if needed not in has | {None}:
                continue
            base = max(begin, since) // unit * unit
            width = unit * max(1, (min(end, until) - base + 60 * unit - 1) // (60 * unit))
            command = [tracedb, 'report', name, '--format', 'tsv', '--columns', columns, *limit, *options, db]
            if has_data(command):
                yield f'{report}, {filtered}', command, sql.format(w=where, bin=unit, base=base, width=width, second=max(10**9, (end - begin) // 10000))


def plain(rows):
    """In one order, and numbers in one form; bins without calls are left out."""
    def one(value):
        if re.fullmatch(r'-?[0-9]+\.[0-9e+-]+', value or ''):
            return f'{float(value):.9g}'
        return value or ''
    return sorted([one(value) for value in row] for row in rows if set(row[1:]) - {'0', None})


def prove(name, command, theirs):
    """Ends the benchmark where the two do not say the same."""
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.splitlines()[1:]
    ours = plain([value or None for value in line.split('\t')] for line in found)
    theirs = plain(theirs)
    if ours != theirs:
        different = [(a, b) for a, b in zip(ours, theirs) if a != b][:2]
        sys.exit(f'bench: {name}: tracedb has {len(ours)} rows, DuckDB {len(theirs)}, and they are not the same: {different}')


def cpu_s():
    """Of this process, with all its threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def statement(connection, sql):
    """Wall and CPU time of the report's statement in an open database."""
    connection.execute(sql).fetchall()
    wall, cpu = time.perf_counter(), cpu_s()
    connection.execute(sql).fetchall()
    return time.perf_counter() - wall, cpu_s() - cpu


def bench_beside(programs, rows, rounds, shape=()):
    """A report as a process, from its start to its end; its statement in an open database, asked once before; and DuckDB's likewise."""
    tracedb, command = programs / 'cli/tracedb', duckdb(programs)
    if not command:
        return
    folder, _ = generate(programs, rows, shape)
    db, other = folder.parent / 'tracedb.db', folder.parent / 'duckdb.db'
    subprocess.run([tracedb, 'import', '--quiet', '--force', '-o', db, folder], check=True)
    load(tracedb, command, db, other)
    warm(db)
    connection = shell_of(programs, db)
    of_shape = f', {" x ".join(map(str, shape))}' if shape else ''
    print(f'\nreports on {rows} calls{of_shape}, {rounds} rounds in turn: median (min .. max)')
    for name, ours, same in questions(tracedb, db):
        sql = subprocess.run([*ours, '--sql'], capture_output=True, text=True, check=True).stdout
        runs = []
        for i in range(rounds):
            _, (seconds, found, cpu) = ask(command, other, [same, same], cpu=True)
            if i == 0:
                prove(name, ours, found)
            run = Measured(ours)
            runs.append({'process': (run.wall_s, run.cpu_s), 'duckdb': (seconds, cpu)} | ({'statement': statement(connection, sql)} if connection else {}))
        show(name, runs)
        for way in sorted(runs[0].keys() - {'duckdb'}):
            record(f'beside {name}{of_shape}, {way}', rows, *(statistics.median(run[side][1] for run in runs) for side in (way, 'duckdb')), 's CPU')
    remove(db, other)


def show(name, runs):
    for kind, k in (('wall', 0), ('cpu', 1)):
        theirs = [run['duckdb'][k] for run in runs]
        print(f'  {name:<32} {kind:<4} duckdb {spread(theirs)}', end='')
        for way in sorted(runs[0].keys() - {'duckdb'}):
            ours = [run[way][k] for run in runs]
            print(f'  {way} {spread(ours)} ratio {statistics.median(theirs) / max(statistics.median(ours), 1e-9):6.2f}', end='')
        print(flush=True)
