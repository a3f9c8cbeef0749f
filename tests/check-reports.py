#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the beginning that reports share identical in all of them: SQL has no include, so each has a copy. And each says which
question it is about, by which 'report --list' groups them.

usage: check-reports.py [--measures] QUERIES      (the folder; prints every offence, exits 1 if there is one; measures have no group)

A report that takes a time takes a phase, too, and one that takes a pid takes the name of a process.
The common table expressions named in SHARED stand first in a report, in that order, and those of one name have
one text (comments and white space do not count).
Which classes of files wait for somebody is the same list everywhere.
Half of the reports are no longer than MEDIAN_STATEMENT and MEDIAN_FILE say: the aim is 40 lines, and these numbers only fall."""
import collections
import re
import statistics
import sys
from pathlib import Path

import heads

GROUPS = ('overview', 'time', 'files', 'disks', 'gpu', 'processes', 'data')  # td_report_groups, but for 'own'
MEDIAN_STATEMENT, MEDIAN_FILE = 40, 63  # lines
SHARED = ('who', 'period', 'unit', 'round')

COMMENT_OR_TEXT = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
CTE = re.compile(r'\b([a-z_]+)(?:\s*\([a-z_, ]*\))?\s+AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(')


def without_comments(sql):
    return COMMENT_OR_TEXT.sub(lambda m: m[0] if m[0].startswith("'") else '', sql)


def closing(sql, start):
    """Where the parenthesis ends that opens at start."""
    depth = 0
    for at in range(start, len(sql)):
        depth += {'(': 1, ')': -1}.get(sql[at], 0)
        if depth == 0:
            return at
    return len(sql)


def expressions(sql):
    """(name, text) of each common table expression, in their order. What is nested in one is a part of its text."""
    sql = without_comments(sql)
    found, at = [], 0
    while m := CTE.search(sql, at):
        at = closing(sql, m.end() - 1) + 1
        found.append((m[1], ' '.join(sql[m.start():at].split())))
    return found


def order_offences(report, names):
    shared = [name for name in names if name in SHARED]
    if names[:len(shared)] != sorted(shared, key=SHARED.index):
        yield f"{report}: does not begin with {', '.join(sorted(shared, key=SHARED.index))}"


def group_offences(report, sql):
    """A report without a group would be listed among the user's own."""
    found = re.findall(r'^-- group:[ \t]*(.*?)[ \t]*$', sql, re.MULTILINE)
    if len(found) != 1 or found[0] not in GROUPS:
        yield f"{report}: says its group {len(found)} times{' (' + ', '.join(found) + ')' if found else ''}: " \
            f"put one line '-- group: GROUP' below its title, GROUP being one of {', '.join(GROUPS)}"


FILTERS = ({'start_ns', 'end_ns', 'phase'}, {'pid', 'process'})
PART_OF = {'gpu_idle': 'phase', 'kernel_launch': 'phase'}  # what the file holds of each phase, and of no other time


def filter_offences(report, sql, words):
    """What is asked of one report is asked of another."""
    params = set(heads.params(sql, words))
    for together in FILTERS:
        found = params & together
        if found and found != together and found != {PART_OF.get(report)}:
            yield f"{report}: takes {', '.join(sorted(found))} but not {', '.join(sorted(together - found))}"


def statement_lines(sql):
    """Lines behind the comment at the top."""
    lines = sql.splitlines()
    return len(lines) - next((i for i, line in enumerate(lines) if not line.startswith('--')), len(lines))


def length_offences(texts):
    """A report is read by people: it says its question in few lines, the rest is in the schema and the vocabulary."""
    for what, most, lengths in (('statement', MEDIAN_STATEMENT, [statement_lines(sql) for sql in texts]),
                                ('file', MEDIAN_FILE, [len(sql.splitlines()) for sql in texts])):
        median = statistics.median_low(lengths)
        if median > most:
            yield f'the median {what} of a report has {median} lines, not {most} at most'


VIEWS = Path(__file__).resolve().parents[1] / 'schema' / 'views.sql'
# What is listed for another reason: what has no name on disk, what holds no data that is kept, where tasks are queued.
OTHER_LISTS = ('anon_writers', 'checkpoint', 'workers')
LIST = re.compile(r"\(\s*'[a-z-]+'(?:\s*,\s*'[a-z-]+')+\s*\)|\('[a-z-]+'\)(?:\s*,\s*\('[a-z-]+'\))+")


def lists_of_classes(sql):
    """Those that have pipes and eventfds in them."""
    for found in LIST.findall(without_comments(sql)):
        classes = set(re.findall(r"'([a-z-]+)'", found))
        if {'pipe', 'eventfd'} <= classes:
            yield classes


def waiting_offences(folder):
    """On files of which classes a call waits for somebody is said where nothing else can be asked, too: as view waited_file says it."""
    views = VIEWS.read_text(encoding='utf-8')
    right = next(lists_of_classes(views[views.index('CREATE VIEW waited_file'):]))
    for path in [*sorted(VIEWS.parent.glob('*.sql')), *sorted(Path(folder).rglob('*.sql'))]:
        for classes in lists_of_classes(path.read_text(encoding='utf-8')):
            if classes != right and path.stem not in OTHER_LISTS:
                yield f"{path.stem}: waiting is not that of view waited_file, {', '.join(sorted(classes ^ right))}"


def usual(copies):
    """The text that most have is the right one."""
    return collections.Counter(copies.values()).most_common(1)[0][0]


def copy_offences(name, copies):
    """copies: report -> text."""
    right = usual(copies)
    model = min(report for report, text in copies.items() if text == right)
    for report, text in sorted(copies.items()):
        if text != right:
            yield f"{report}: '{name}' is not that of {model}:\n\t{text}\n\t{right}"


def main(folder, has_groups):
    offences, words, all_sql = [], heads.vocabulary(), []
    texts = {name: {} for name in SHARED}
    for path in sorted(Path(folder).glob('*.sql')):
        sql = path.read_text(encoding='utf-8')
        all_sql.append(sql)
        found = expressions(sql)
        if has_groups:
            offences += group_offences(path.stem, sql)
            offences += filter_offences(path.stem, sql, words)
        offences += order_offences(path.stem, [name for name, _ in found])
        for name, text in found:
            if name in SHARED:
                texts[name][path.stem] = text
    if has_groups and all_sql:
        offences += length_offences(all_sql)
        offences += waiting_offences(folder)
    for name, copies in texts.items():
        if copies:
            offences += copy_offences(name, copies)
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[-1], '--measures' not in sys.argv[1:-1]))
