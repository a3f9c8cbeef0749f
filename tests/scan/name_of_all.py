#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A name that whoever made calls has: the derived tables of the whole run answer, else the calls do.

usage: name_of_all.py TRACEDB SCHEMA_FOLDER

The derived tables say of three calls that there are 100, and so tell who has answered."""
import sys
import tempfile
from pathlib import Path

from asked import ask, new_db, tell_files

STATED = 100    # calls, by the derived tables
EXACT = 40_000_000    # calls of which percentiles are exact
# who made how many calls, by op_stat and by nested_stat; what is asked for besides; and whether the whole run is meant
CASES = (
    ('of all', ((1, 60), (2, 40)), (), '', True),
    ('of all, nested ones of them, too', ((1, 60), (2, 40)), ((1, 5),), '', True),
    ('of all, by role', ((1, 60), (4, 40)), (), '', True),
    ('another one made some', ((1, 60), (2, 39), (3, 1)), (), '', False),
    ('another one made nested ones', ((1, 60), (2, 40)), ((3, 1),), '', False),
    ('nobody knows who made some', ((1, 60), (2, 39), (None, 1)), (), '', False),
    ('nobody says who made calls', (), (), '', False),
    ('too many for exact percentiles', ((1, EXACT), (2, 1)), (), '', False),
    ('just not too many', ((1, EXACT - 1), (2, 1)), (), '', True),
    ('of a time', ((1, 60), (2, 40)), (), ' AND since_ns = 0', False),
)
ASKED = ("SELECT sum(calls), count(of_process), max(of_process) FROM call_stat WHERE by = 'op'",
         "SELECT sum(calls), count(of_process), max(of_process) FROM io_stat WHERE by = 'file,verb'")
FILE_USE = "SELECT sum(reads), 1, 'python' FROM file_use WHERE by = 'file' AND of_top >= 9223372036854775807"


def make(path, schema, made, nested):
    """Three calls of three processes: two are called so, one has the role, another one is not theirs."""
    db = new_db(path, schema, 4096)
    db.execute("INSERT INTO run VALUES (1, 'r', '0', 0, 900, 0, 'given', 100)")
    db.execute("INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 's', 'complete', 0, 0, 0, 0, 0, 0)")
    db.execute("INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io')")
    db.executemany('INSERT INTO process (id, pid, name, role, lifetime) VALUES (?, ?, ?, ?, 1)',
                   ((1, 10, 'python', None), (2, 20, 'python', None), (3, 30, 'sh', None), (4, 40, 'pt_main', 'python')))
    db.execute("INSERT INTO string VALUES (1, '/d/a')")
    db.execute("INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/a', 'a', 'regular', 1, 1, 0)")
    db.executemany('INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES (?, ?, 5, 1, ?, 1, 8, 8, 0, 1)',
                   ((1, 100, 1), (2, 200, 2), (3, 300, 4)))
    of_op = 'calls, 0, calls, 8, 5, 5, 5, 5, 5, 5'
    db.execute('CREATE TEMP TABLE made (process_id, calls)')
    for table, rows, more in (('op_stat', made, ', 0, 100, 300, 0, 0'), ('nested_stat', nested, '')):
        db.execute('DELETE FROM made')
        db.executemany('INSERT INTO made VALUES (?, ?)', rows)
        db.execute(f"INSERT INTO {table} SELECT 'process,op', process_id, 1, {of_op}{more} FROM made")
    db.execute(f"INSERT INTO op_stat SELECT 'op', NULL, 1, {of_op}, 0, 100, 300, 0, 0 FROM (SELECT {STATED} AS calls)")
    db.execute(f"INSERT INTO file_stat SELECT 'file,verb', 1, NULL, 'read', {STATED}, 0, {STATED}, 8, 5, 5, 5, 5, 8, 8, 8, 1, 0, 100, 300")
    db.commit()
    tell_files(db)
    db.close()


def main(tracedb, schema):
    failed = 0
    print(f'1..{len(CASES)}')
    with tempfile.TemporaryDirectory() as folder:
        for i, (what, made, nested, besides, is_of_all) in enumerate(CASES, 1):
            path = Path(folder) / f'{i}.db'
            make(path, Path(schema), made, nested)
            calls = STATED if is_of_all else 3
            found = ask(tracedb, path, [f"{sql} AND of_process = 'python'{besides}" for sql in (*ASKED, FILE_USE)])
            wrong = found != [[(calls, 1, 'python')]] * 3
            print(f"{'not ' if wrong else ''}ok {i} - {what}" + (f': {found}' if wrong else ''))
            failed += wrong
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
