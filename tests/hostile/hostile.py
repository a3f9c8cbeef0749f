#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the whole program on what it must survive, for as long as it is told: changed files of real tools, changed databases,
killed and cut imports. Prints counts by class; what was found is kept, with the command that shows it.

usage: hostile.py TRACEDB [SECONDS] [SEED]      HOSTILE_KEEP: folder for what was found (build-logs/hostile)

More inputs are taken from TRACEDB_CORPUS and the folder hostile beside it, where they are. The same seed makes the same cases."""
import collections
import lzma
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60            # of one run: there is no input here that takes seconds
LIMIT_RSS = 1500 << 20  # of one run, with sanitizers
INPUT_BYTES = 256 << 10
MISTAKES = ('AddressSanitizer', 'runtime error:', 'LeakSanitizer', 'Assertion')
USABLE, SUCCESS = (0, 3, 4), (0, 4)
NUMBERS = (b'-1', b'0', b'4294967296', b'9223372036854775807', b'-9223372036854775808', b'18446744073709551615', b'1e308', b'nan', b'')
VALUES = (None, -1, 0, 1 << 40, (1 << 63) - 1, -1 << 63, 1e308, '', 'x' * 5000, '\x1b[2J\u202e', b'\xff\xfe\0\xff')
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM,
           signal.SIGPIPE, signal.SIGXCPU)


class Found(Exception):
    """Something that must not be."""


class Program:
    def __init__(self, tracedb):
        self.tracedb = tracedb
        self.commands = []  # of the case that is under way

    def start(self, *arguments, cwd, **options):
        # what a sanitizer finds must not be taken for an exit status of ours
        env = {**os.environ, 'ASAN_OPTIONS': f'exitcode=99:hard_rss_limit_mb={LIMIT_RSS >> 20}:detect_leaks=0', 'UBSAN_OPTIONS': 'halt_on_error=1:exitcode=99'}
        self.commands.append(' '.join(map(str, ('tracedb', *arguments))))
        return subprocess.Popen([self.tracedb, *arguments], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def run(self, *arguments, cwd, allowed, **options):
        process = self.start(*arguments, cwd=cwd, **options)
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Found(f'{arguments[0]}: no end after {LIMIT_S} s') from None
        text = err.decode(errors='replace')
        if any(mistake in text for mistake in MISTAKES):
            raise Found(f'{arguments[0]}: ' + next(line for line in text.splitlines() if any(m in line for m in MISTAKES)))
        if process.returncode not in allowed:
            raise Found(f'{arguments[0]}: exit {process.returncode}: {text.strip()[-300:]}')
        if '\x1b' in text or '\u202e' in text or b'\x1b' in out:
            raise Found(f'{arguments[0]}: prints text that acts on a terminal')
        return process.returncode


# --- changing things ---

def changed_text(rng, data, others):
    """One to eight changes; nothing that a format could forbid."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at, length = rng.randrange(len(data) + 1), rng.choice((1, 2, 8, 40, 300, 4000))
        how = rng.randrange(8)
        if how == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[at:at + length] = b''
        elif how == 2:
            data[at:at] = data[at:at + length] * rng.choice((1, 2, 50))
        elif how == 3:
            data[at:at] = rng.randbytes(min(length, 64))
        elif how == 4:
            end = at
            while end < len(data) and chr(data[end]).isdigit():
                end += 1
            data[at:end] = rng.choice(NUMBERS)
        elif how == 5:
            del data[at:]
        elif how == 6:
            other = rng.choice(others)
            begin = rng.randrange(len(other) + 1)
            data[at:at] = other[begin:begin + length]
        else:
            data[at:at] = rng.choice((b'\n', b'\r\n', b'\0', b'\xe2\x80\xae', b'\x1b[2J', b'"', b'{', b'[' * 200))
    return bytes(data)


def changed_pages(rng, path):
    with open(path, 'r+b') as file:
        size = os.path.getsize(path)
        for _ in range(rng.choice((1, 4, 30))):
            file.seek(rng.randrange(size))
            file.write(rng.randbytes(rng.choice((1, 2, 16))))
        if rng.random() < 0.2:
            file.truncate(rng.randrange(size))


def names_of(db, kind):
    return [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY name", (kind,))]


def changed_rows(rng, path):
    """Cells and definitions that no import writes; what SQLite refuses stays as it was."""
    db = sqlite3.connect(path)
    db.execute('PRAGMA ignore_check_constraints = 1')
    db.execute('PRAGMA writable_schema = 1')
    for _ in range(rng.choice((1, 3, 10))):
        table = rng.choice(names_of(db, 'table'))
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        column = rng.choice(columns)
        statement = rng.choice((
            f'UPDATE "{table}" SET "{column}" = ? WHERE rowid % {rng.choice((1, 2, 7))} = 0',
            f'UPDATE sqlite_schema SET sql = replace(sql, \' NOT NULL\', \'\') WHERE name = \'{table}\' AND ? IS NOT 1.5',
            f'UPDATE sqlite_schema SET sql = replace(sql, \'STRICT\', \'\') WHERE name = \'{table}\' AND ? IS NOT 1.5',
            f'INSERT INTO "{table}" SELECT * FROM "{table}" WHERE ? IS NOT 1.5',
            f'DELETE FROM "{table}" WHERE ? IS NOT 1.5',
            f'DROP TABLE "{table}" -- ?'))
        try:
            db.execute(statement, (rng.choice(VALUES),) if '-- ?' not in statement else ())
        except (sqlite3.Error, OverflowError):
            pass
    db.commit()
    db.close()


# --- what must hold ---

def check_database(path):
    db = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    found = db.execute('PRAGMA integrity_check').fetchall() + db.execute('PRAGMA foreign_key_check').fetchall()
    if found != [('ok',)]:
        raise Found(f'not sound: {found[:3]}')
    uneven = db.execute('SELECT path, lines, rows, skipped, issues FROM source WHERE lines != rows + skipped + issues').fetchall()
    db.close()
    if uneven:
        raise Found(f'lines do not add up: {uneven[:3]}')


def check_left(folder, known):
    left = {path.name for path in folder.iterdir()} - set(known)
    if left:
        raise Found(f'leaves {sorted(left)}')


def look(program, rng, folder, name):
    """What a user does with a database, however it came to be."""
    reports = rng.sample(program.reports, 4)
    program.run('info', name, cwd=folder, allowed=(0, 3))
    program.run('report', ','.join(reports), name, cwd=folder, allowed=(0, 2, 3))
    program.run('report', 'overview', '-f', rng.choice(('table', 'csv', 'json', 'md')), name, cwd=folder, allowed=(0, 2, 3))


def changed_file(program, rng, folder, inputs):
    name, data = rng.choice(inputs)
    (folder / name).write_bytes(changed_text(rng, data, [other for _, other in inputs]))
    if program.run('import', '-q', '-o', 'x.db', name, cwd=folder, allowed=USABLE) in SUCCESS:
        check_left(folder, {name, 'x.db'})
        check_database(folder / 'x.db')
        look(program, rng, folder, 'x.db')
    else:
        check_left(folder, {name})


def changed_folder(program, rng, folder, inputs):
    (folder / 'run').mkdir()
    for name, data in rng.sample(inputs, 4):
        (folder / 'run' / name).write_bytes(changed_text(rng, data, [data]) if rng.random() < 0.5 else data)
    if program.run('import', '-q', '-o', 'x.db', 'run', cwd=folder, allowed=USABLE) in SUCCESS:
        check_database(folder / 'x.db')
        look(program, rng, folder, 'x.db')
    check_left(folder, {'run', 'x.db'})


def changed_database(program, rng, folder, inputs):
    shutil.copy(rng.choice(program.databases), folder / 'x.db')
    (changed_pages if rng.random() < 0.5 else changed_rows)(rng, folder / 'x.db')
    before = (folder / 'x.db').read_bytes()
    look(program, rng, folder, 'x.db')
    program.run('query', 'x.db', 'SELECT count(*) FROM call', cwd=folder, allowed=(0, 2, 3))
    program.run('export', 'x.db', '--to', 'bpftrace=out', cwd=folder, allowed=(0, 3, 4))
    if (folder / 'x.db').read_bytes() != before:
        raise Found('reading changed the database')
    name, data = rng.choice(inputs)
    (folder / name).write_bytes(data)
    if program.run('import', '-q', '--append', '-o', 'x.db', name, cwd=folder, allowed=USABLE) == 3 and (folder / 'x.db').read_bytes() != before:
        raise Found('a refused append changed the database')
    check_left(folder, {'x.db', 'out', name})


def stopped(program, rng, folder, inputs):
    """An import over a database, ended by a signal: what was there stays, or is replaced as a whole."""
    shutil.copy(program.databases[0], folder / 'x.db')
    before = (folder / 'x.db').read_bytes()
    name, data = rng.choice(inputs)
    (folder / name).write_bytes(data)
    process = program.start('import', '-q', '--force', '-o', 'x.db', name, cwd=folder)
    time.sleep(rng.random() * 0.15)
    number = rng.choice(SIGNALS)
    process.send_signal(number)
    process.communicate()
    program.commands.append(f'kill -{number.name} ... ({process.returncode})')
    check_whole(folder, before)
    if number != signal.SIGKILL:
        check_left(folder, {'x.db', name})
    program.run('import', '-q', '--force', '-o', 'x.db', name, cwd=folder, allowed=USABLE)
    check_left(folder, {'x.db', name})


def check_whole(folder, before):
    if (folder / 'x.db').read_bytes() != before:
        check_database(folder / 'x.db')


def cut_off(program, rng, folder, inputs):
    """An import that may write so many bytes and no more."""
    shutil.copy(program.databases[0], folder / 'x.db')
    before = (folder / 'x.db').read_bytes()
    name, data = rng.choice(inputs)
    (folder / name).write_bytes(data)
    limit = rng.randrange(200 << 10)
    program.commands.append(f'ulimit -f {limit} bytes')
    program.run('import', '-q', '--force', '-o', 'x.db', name, cwd=folder, allowed=(*USABLE, -signal.SIGXFSZ, 128 + signal.SIGXFSZ),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    check_whole(folder, before)
    check_left(folder, {'x.db', name})


CLASSES = {'changed file': (changed_file, 8), 'changed folder': (changed_folder, 2), 'changed database': (changed_database, 3),
           'stopped': (stopped, 1), 'cut off': (cut_off, 1)}


# --- all of it ---

def find_inputs():
    """Name and content of what tools printed."""
    corpus = os.environ.get('TRACEDB_CORPUS')
    roots = [ROOT / 'tests/data', ROOT / 'examples/stall/run'] + ([Path(corpus), Path(corpus).parent / 'hostile'] if corpus else [])
    paths = sorted(path for root in roots if root.is_dir() for path in root.rglob('*') if path.is_file() and path.suffix not in ('.db', '.sql', '.md', '.sh', '.tsv'))
    inputs = []
    for path in paths:
        data = path.read_bytes() if path.stat().st_size < 4 << 20 else path.open('rb').read(INPUT_BYTES)
        if path.suffix == '.xz':
            data = lzma.decompress(data)
        if data[:6] != b'SQLite':
            inputs.append((path.name.removesuffix('.xz'), data[:INPUT_BYTES]))
    return inputs


def make_databases(program, scratch, inputs):
    program.databases = []
    folder = scratch / 'made'
    folder.mkdir()
    program.run('import', '-q', '-o', scratch / 'stall.db', ROOT / 'examples/stall/run', cwd=folder, allowed=(0,))
    program.databases.append(scratch / 'stall.db')
    for name, data in inputs[::7]:
        (folder / name).write_bytes(data)
        if program.run('import', '-q', '--force', '-o', scratch / f'{name}.db', name, cwd=folder, allowed=USABLE) == 0:
            program.databases.append(scratch / f'{name}.db')


def keep(folder, number, what, message, commands):
    to = Path(os.environ.get('HOSTILE_KEEP', 'build-logs/hostile')) / f'{number:05}'
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to, symlinks=True)
    (to / 'what').write_text('\n'.join((what, message, *commands)) + '\n')
    return to


def main(tracedb, seconds='60', seed='1'):
    program, end, number = Program(str(Path(tracedb).resolve())), time.monotonic() + float(seconds), 0
    inputs = find_inputs()
    program.reports = sorted(path.stem for path in (ROOT / 'queries').glob('*.sql'))
    done, found = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix='tracedb-hostile-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None) as scratch:
        make_databases(program, Path(scratch), inputs)
        while time.monotonic() < end:
            number += 1
            rng = random.Random(f'{seed}/{number}')
            what = rng.choices(list(CLASSES), [weight for _, weight in CLASSES.values()])[0]
            folder = Path(scratch) / 'case'
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            program.commands.clear()
            done[what] += 1
            try:
                CLASSES[what][0](program, rng, folder, inputs)
            except Found as message:
                found[what] += 1
                print(f'FOUND {what}: {message}\n      {keep(folder, number, what, str(message), program.commands)}')
    for what in CLASSES:
        print(f'{what:18} {done[what]:6} runs, {found[what]} found')
    print(f'{len(inputs)} inputs, seed {seed}')
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
