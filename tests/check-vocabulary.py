#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One vocabulary: the same quantity has the same name and unit in every report, rule and measure, and in the tables and views.

usage: check-vocabulary.py ROOT      (the source tree; prints every offence, exits 1 if there is one)

- The unit ends the name, and each unit has its own end (ENDS): nothing but a duration or a time ends in _ns.
- A name has one unit wherever it is used.
- A table or view that has the name of a report is about the same things (SHARED).
- Of words that mean the same (SYNONYMS) one is used. What 'nsys stats' prints has the names of its columns (NSYS).
- queries/vocabulary.txt says what two heads need at least, in the order of the names, and no head says it once more."""
import collections
import re
import sqlite3
import sys
from pathlib import Path

import heads

ENDS = {'dur_ns': 'ns', 'ts_ns': 'ns', 'utc_ns': 'ns', 'bytes': 'bytes', 'bytes_per_s': 'bytes_per_s', 'percent': 'pct'}
TIMES = ('ts_ns', 'utc_ns')  # one quantity, shown in two ways
SYNONYMS = {
    'avg': 'mean', 'average': 'mean', 'med': 'p50', 'median': 'p50', 'longest': 'max', 'shortest': 'min', 'largest': 'max', 'smallest': 'min',
    'percent': 'pct', 'perc': 'pct', 'share': 'pct', 'size': 'bytes', 'rate': 'per_s', 'kb': 'bytes', 'mb': 'bytes', 'gb': 'bytes', 'us': 'ns', 'ms': 'ns',
    'sec': 'ns', 'secs': 'ns', 'seconds': 'ns', 'dev': 'device', 'command': 'process', 'comm': 'process', 'filename': 'file',
}
# Names of tables and views that people know from elsewhere, and longer words that are their own.
OWN = {'command_line', 'size_bytes', 'ring_size_bytes', 'longest_file', 'longest_op', 'largest_bytes'}
KEPT = {'p50_bytes_low'}  # of io_stat, as files that are there have it
SHARED = {'loss', 'phases', 'processes'}  # a row is a loss, a phase, a process in both
NSYS = ('cuda_api_sum', 'cuda_gpu_kern_sum', 'cuda_gpu_mem_size_sum', 'cuda_gpu_mem_time_sum', 'nvtx_sum', 'osrt_sum')
SCHEMA = ('tables.sql', 'derived.sql', 'views.sql')


def reports(root):
    """(report, its text)."""
    for path in sorted((root / 'queries').glob('**/*.sql')):
        yield path.relative_to(root / 'queries').with_suffix('').as_posix(), path.read_text(encoding='utf-8')


def report_columns(root, words):
    for where, sql in reports(root):
        for name, unit in heads.columns(sql, words):
            yield where, name, unit


def vocabulary_offences(root, words):
    if list(words.columns) != sorted(words.columns):
        yield 'vocabulary.txt: columns are not in the order of their names'
    used = collections.Counter()
    for where, sql in reports(root):
        own, listed = heads.own_columns(sql), heads.listed(sql, 'columns')
        used.update(set(listed) - set(own))
        for name, said in own.items():
            if words.columns.get(name) == said:
                yield f'{where}: {name}: vocabulary.txt says that, it need be in the list only'
            if listed and name not in listed:
                yield f'{where}: {name}: has a line but is not in the list of columns'
    for name in words.columns:
        if used[name] < 2:
            yield f'vocabulary.txt: {name}: {used[name]} heads need it'


def schema_columns(root):
    """Those of tables and views; the schema does not say their units, so their names do."""
    db = sqlite3.connect(':memory:')
    for name in SCHEMA:
        db.executescript((root / 'schema' / name).read_text(encoding='utf-8'))
    for relation, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall():
        for row in db.execute(f'PRAGMA table_info({relation})'):
            yield relation, row[1], None


def end_offence(name, unit):
    """What is wrong with the end of the name."""
    ends = [end for end in ('bytes_per_s', 'bytes', 'ns', 'pct') if name == end or name.endswith('_' + end)]
    end = ends[0] if ends else None
    within = re.search(r'(?:^|_)(ns|bytes(?!_per_s|_pct)|pct)_', name)
    if within and name not in KEPT:
        return f"'{within[1]}' is not at the end"
    if unit is not None and ENDS.get(unit) != end:
        return f"a column of unit {unit} ends in '_{ENDS[unit]}'" if unit in ENDS else f"'_{end}' is the end of another unit than {unit}"
    return None


def word_offence(where, name):
    if where in NSYS or name in OWN:
        return None
    for word in name.split('_'):
        if word in SYNONYMS:
            return f"'{SYNONYMS[word]}' is the word for '{word}'"
    return None


def offences(columns):
    units = collections.defaultdict(lambda: collections.defaultdict(list))
    for where, name, unit in columns:
        for why in (end_offence(name, unit), word_offence(where, name)):
            if why:
                yield f'{where}: {name}: {why}'
        if unit:
            units[name]['time' if unit in TIMES else unit].append(where)
    for name, of in sorted(units.items()):
        if len(of) > 1:
            yield f"{name} has several units: " + '; '.join(f"{unit} in {', '.join(where)}" for unit, where in sorted(of.items()))


def name_offences(reports, relations):
    for name in sorted((set(reports) & set(relations)) - SHARED):
        yield f'{name}: a report and a relation of this name are not the same'


def main(root):
    words = heads.vocabulary(root / 'queries' / 'vocabulary.txt')
    of_reports, of_relations = list(report_columns(root, words)), list(schema_columns(root))
    found = [*vocabulary_offences(root, words), *offences(of_reports + of_relations), *name_offences((c[0] for c in of_reports), (c[0] for c in of_relations))]
    for offence in found:
        print(offence)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
