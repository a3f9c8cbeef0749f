#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Black box tests of the program, golden files in the manner of zstd's.

usage: run.py CASE.sh            (with $TRACEDB: the program under test)
       run.py --list FOLDER NAME...

A case is a shell script; its first comment line says what it shows. It runs with sh -eu in an empty
scratch folder and must print exactly CASE.out on stdout and CASE.err on stderr (nothing, where such
a file does not exist) and exit with the number in CASE.exit (default 0). The case finds the program
in $TRACEDB, tests/data in $TESTDATA, the examples in $EXAMPLES, helpers in $LIB, which it reads with
'. "$LIB"'. In its output the scratch folder reads $SCRATCH, the source tree $SOURCE and sizes of databases SIZE or N.
Every database of tracedb that it leaves must be sound, except those called *spoilt.db.

Exit status 77, or 'skip REASON' of the helpers, skips the case. With UPDATE=1 in the environment the
golden files are written instead of compared. --list checks that every case in the folder is named."""
import difflib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

SKIP = 77
SOURCE = Path(__file__).resolve().parents[2]


def environment(scratch):
    env = {key: os.environ[key] for key in ('PATH', 'TRACEDB_CORPUS', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')
           if key in os.environ}
    env |= {'LC_ALL': 'C', 'TZ': 'UTC0', 'HOME': scratch, 'TMPDIR': scratch,
            'TRACEDB': os.path.abspath(os.environ['TRACEDB']),
            'TESTDATA': str(SOURCE / 'tests' / 'data'), 'EXAMPLES': str(SOURCE / 'examples'),
            'LIB': str(SOURCE / 'tests' / 'cli' / 'lib' / 'helpers.sh')}
    return env


def mask(output, scratch):
    text = output.decode('utf-8', errors='backslashreplace')
    text = text.replace(scratch, '$SCRATCH').replace(str(SOURCE), '$SOURCE')
    text = re.sub(r'\d+ of its \d+ bytes', 'N of its N bytes', text)
    return re.sub(r'(\.db: )[0-9.]+ [kKMG]?i?B\b', r'\1SIZE', text)


def databases(folder):
    """Those of tracedb; which they are is said at offset 68 ("Database File Format", 1.3)."""
    for path in sorted(Path(folder).rglob('*')):
        if path.is_file() and not path.is_symlink():
            with open(path, 'rb') as file:
                head = file.read(72)
            if head.startswith(b'SQLite format 3\0') and head[68:72] == b'trdb':
                yield path


# Every line is a row, skipped or an issue, and every issue is counted by its kind.
UNACCOUNTED = """SELECT path, lines, rows, skipped, issues FROM source AS s
    WHERE lines != rows + skipped + issues OR issues != (SELECT coalesce(sum(count), 0) FROM issue_count AS c
        WHERE c.source_id = s.id AND c.effect = 'dropped')"""


def unsound(folder):
    """What is wrong with the databases that the case has left, except those that it spoilt itself: *spoilt.db."""
    for path in databases(folder):
        if path.name.endswith('spoilt.db'):
            continue
        try:
            db = sqlite3.connect(f'file:{quote(str(path))}?mode=ro', uri=True)
            found = db.execute('PRAGMA integrity_check(3)').fetchall()
            found += db.execute('PRAGMA foreign_key_check').fetchall()
            if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'source'").fetchone():
                found += db.execute(UNACCOUNTED).fetchall()
            db.close()
        except sqlite3.Error as error:
            found = [error]
        if found != [('ok',)]:
            yield f'{path.name}: {found}\n'


def execute(case):
    """What the case did, by the suffix of the file that says what it should do."""
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        done = subprocess.run(['sh', '-eu', str(case)], cwd=scratch, env=environment(scratch),
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        status = f'{done.returncode}\n' if done.returncode else ''
        return {'.out': mask(done.stdout, scratch), '.err': mask(done.stderr, scratch),
                '.exit': status, '.unsound': ''.join(unsound(scratch))}


def compare(case, got):
    """Prints the differences; returns their number."""
    different = 0
    for suffix, text in got.items():
        path = case.with_suffix(suffix)
        want = path.read_text(encoding='utf-8') if path.exists() else ''
        if text == want:
            continue
        different += 1
        sys.stdout.writelines(difflib.unified_diff(
            want.splitlines(True), text.splitlines(True), f'{path.name} (expected)', 'got'))
    return different


def update(case, got):
    for suffix in ('.out', '.err', '.exit'):
        text = got[suffix]
        path = case.with_suffix(suffix)
        if text:
            path.write_text(text, encoding='utf-8')
        else:
            path.unlink(missing_ok=True)


def check_list(folder, names):
    unknown = {path.stem for path in Path(folder).glob('*.sh')} ^ set(names)
    for name in sorted(unknown):
        print(f'{name}: in only one of the folder and its meson.build')
    return 1 if unknown else 0


def main(arguments):
    if arguments[0] == '--list':
        return check_list(arguments[1], arguments[2:])
    case = Path(arguments[0]).resolve()
    got = execute(case)
    if got['.exit'] == f'{SKIP}\n':
        print(got['.err'] + got['.out'])
        return SKIP
    if os.environ.get('UPDATE'):
        update(case, got)
        return 0
    return 1 if compare(case, got) else 0


sys.exit(main(sys.argv[1:]))
