# SPDX-License-Identifier: MIT
"""A redacted copy of a large database, every table and view of it as csv and ndjson, has none of the words that were in the log: words that
this test made, so that what is looked for does not come from the program.

usage: large.py TRACEDB [FILES]"""
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

LENGTH = 12 # letters of a word: none comes by chance
LETTERS = 'bcdfghjklmnpqrstvwxz'
PROCESSES = 400
ENDINGS = ('.npy', '.tar', '.json', '', '.pt')

tracedb = os.environ.get('TRACEDB_PLAIN', sys.argv[1])
files = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
chance = random.Random(16)
words = set()


def word():
    """A new one; no program, no system and no list of usual words has it."""
    made = ''.join(chance.choices(LETTERS, k=LENGTH))
    words.add(made)
    return made


def run(*args):
    return subprocess.run([tracedb, *map(str, args)], check=True, capture_output=True, text=True).stdout


def write_log(path):
    """strace -f -ttt -T -y: each process executes a program, and the files, in folders of a hundred, are opened, read and renamed."""
    folders = [f'/data/{word()}/{word()}' for _ in range(files // 100)]
    time = 1700000000.0
    with open(path, 'w', encoding='utf-8') as log:
        for pid in range(5000, 5000 + PROCESSES):
            program = f'/opt/{word()}/{word()}'
            log.write(f'{pid} {time:.6f} execve("{program}", ["{program}", "--token={word()}", "{word()}@{word()}"], 0x7ffe /* 9 vars */) = 0 <0.000100>\n')
            time += 0.0001
        for i in range(files):
            pid, path = 5000 + i % PROCESSES, f'{folders[i // 100]}/{word()}_{i % 7}{ENDINGS[i % len(ENDINGS)]}'
            log.write(f'{pid} {time:.6f} openat(AT_FDCWD</home/{word()}>, "{path}", O_RDONLY) = 3<{path}> <0.000020>\n'
                      f'{pid} {time + 0.00005:.6f} read(3<{path}>, "{word()}"..., 4096) = 4096 <0.000030>\n'
                      f'{pid} {time + 0.0001:.6f} rename("{path}", "{path}.{word()}") = 0 <0.000010>\n')
            time += 0.0002


def words_in(text):
    """Those of the log's words that are anywhere in it, be they part of another."""
    found = set()
    for letters in set(re.findall(f'[{LETTERS}]{{{LENGTH},}}', text)):
        found.update({letters[i:i + LENGTH] for i in range(len(letters) - LENGTH + 1)} & words)
    return found


def exported(db, kind, tables, *options):
    """All tables and views; how many rows there are of ndjson, which is one for each line."""
    target = db.with_suffix(f'.{kind}')
    run('export', '-q', '--force', *options, '--to', f'{kind}={target}', *(f'--table={t}' for t in tables), db)
    text = target.read_text(encoding='utf-8')
    if kind == 'ndjson':
        for line in text.splitlines()[::1000]:
            json.loads(line)
    return text


with tempfile.TemporaryDirectory(prefix='tracedb-test-') as folder:
    os.environ['TMPDIR'] = folder
    work = pathlib.Path(folder)
    db = work / 'large.db'
    write_log(work / f'{word()}.strace')
    run('import', '-q', '-o', db, *work.glob('*.strace'))
    with sqlite3.connect(db) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'")]
        calls, = connection.execute('SELECT count(*) FROM call').fetchone()
    failures = []
    if calls < files * 3:
        failures.append(f'{calls} calls, of {files * 3} in the log')
    (work / 'key').write_bytes(bytes(range(32)))
    for kind in ('csv', 'ndjson'):
        plain = exported(db, kind, tables)
        redacted = exported(db, kind, tables, '--redact', '--key', work / 'key')
        known, left = words_in(plain), words_in(redacted)
        print(f'{kind}: {len(plain) / 1e6:.0f} MB have {len(known)} of {len(words)} words, {len(redacted) / 1e6:.0f} MB of the copy {len(left)}')
        # what was read is not kept, nor the folder that it was opened from: the search itself finds the others
        if len(known) < files * 2:
            failures.append(f'{kind}: only {len(known)} words are found in what was not redacted')
        if left:
            failures.append(f'{kind}: the copy has {sorted(left)[:10]}')
        if redacted.count('\n') * 1.02 < plain.count('\n'):
            failures.append(f'{kind}: {redacted.count(chr(10))} lines of {plain.count(chr(10))}')
    print('\n'.join(failures))
    sys.exit(1 if failures else 0)
