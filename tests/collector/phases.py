#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record' and the phases of the training program: those of its log.

    phases.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    phases.py --list CASE...      (are these all there are?)
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from recording import TRACEDB, check, equal, no_leftovers, one, query, record, run_case

# nobody takes this file for a log
TAG = ':' * 3 + 'MLLOG '

# Prints MLPerf lines of two epochs, 0.2 s each, and reads a file in each.
PROGRAM = '''
import json, sys, time
def say(kind, key, n):
    print(':::MLLOG ' + json.dumps({'namespace': '', 'time_ms': int(time.time() * 1000), 'event_type': kind, 'key': key,
                                    'value': None, 'metadata': {'epoch_num': n}}), flush=True)
for n in 1, 2:
    say('INTERVAL_START', 'epoch_start', n)
    open('/etc/passwd').read()
    time.sleep(0.2)
    say('INTERVAL_END', 'epoch_stop', n)
'''


def phases(db, columns='label, state'):
    return query(db, f'SELECT {columns} FROM phases ORDER BY start_ns, name')


# --- --log ---

def case_log():
    """Phases of the log, on the clock of what was recorded."""
    Path('train.py').write_text(PROGRAM, encoding='ascii')
    done = record('-o', 'x.db', '--log', 'train.log', '--', 'sh', '-c', f'exec {sys.executable} train.py >train.log')
    equal(done.returncode, 0, done.stderr)
    no_leftovers('train.py', 'train.log', 'x.db')
    equal(phases('x.db'), [('epoch 1', 'complete'), ('epoch 2', 'complete')], 'phases')
    for start, end in query('x.db', 'SELECT start_ns, end_ns FROM phases'):
        # times of the log are whole milliseconds
        check(200 <= (end - start) / 1e6 <= 2000, f'an epoch of {end - start} ns')
        equal(one('x.db', "SELECT count(*) FROM calls WHERE op = 'openat' AND file = '/etc/passwd' "
                          'AND start_ns >= ? - 1000000 AND start_ns < ?', start, end), 1, 'its file')


def case_log_missing():
    """A log that is missing or empty, or of another run, is said; the rest is there."""
    Path('old.log').write_text(TAG + '{"namespace": "", "time_ms": 1714557601000, "event_type": "POINT_IN_TIME", '
                               '"key": "seed", "value": 1, "metadata": {}}\n', encoding='ascii')
    os.utime('old.log', (time.time() - 3600,) * 2)
    done = record('-q', '-o', 'x.db', '--log', 'none.log', '--log', 'empty.log', '--log', 'old.log', '--', 'touch', 'empty.log')
    equal(done.returncode, 4, 'status: a part was imported')
    for words in ("no phases of 'none.log': there is no such file; 'tracedb import -o x.db --append none.log' adds them",
                  "no phases of 'empty.log': it is empty; 'tracedb import -o x.db --append empty.log' adds them",
                  "'old.log' was not written to during the recording: is it the log of another run?"):
        check(words in done.stderr, f'{done.stderr!r} has no {words!r}')
    no_leftovers('empty.log', 'old.log', 'x.db')
    equal(query('x.db', 'SELECT path, importer FROM source ORDER BY id'), [('x.db.spool', 'record'), ('old.log', 'mllog')],
          'sources')
    done = record('-q', '--force', '-o', 'x.db', '--log', 'none.log', '--', 'sh', '-c', 'exit 7')
    equal(done.returncode, 7, "the command's status comes first")


def case_log_later():
    """What is left for later names the log, too."""
    done = record('--no-import', '-o', 'x.db', '--log', 'a.log', '--', 'true')
    check("'tracedb import x.db.spool a.log' makes a database of it" in done.stderr, done.stderr)


def tracedb(*args):
    return subprocess.run([TRACEDB, *args], text=True, capture_output=True, check=False, timeout=60)


def case_log_added():
    """The message of a recording without phases names the command that adds a log; a folder needs none."""
    os.mkdir('run')
    Path('train.py').write_text(PROGRAM, encoding='ascii')
    record('-q', '--no-import', '-o', 'run/x.db', '--', 'sh', '-c', f'exec {sys.executable} train.py >run/train.log')
    equal(tracedb('import', '-q', '-o', 'x.db', 'run/x.db.spool').returncode, 0, 'import of the spool')
    message = tracedb('report', 'phases', 'x.db').stdout
    found = re.search("'tracedb (import .*) LOG'", message)
    check(found, message)
    done = tracedb(*found[1].split(), 'run/train.log')
    equal(done.returncode, 0, done.stderr)
    equal(tracedb('import', '-q', 'run').returncode, 0, 'import of the folder')
    for db in 'x.db', 'run.db':
        equal(phases(db), [('epoch 1', 'complete'), ('epoch 2', 'complete')], f'phases of {db}')
        equal(one(db, "SELECT count(*) FROM calls JOIN phases ON calls.start_ns BETWEEN phases.start_ns - 1000000 AND phases.end_ns "
                      "WHERE op = 'openat' AND file = '/etc/passwd'"), 2, f'files of {db}')


sys.exit(run_case(globals()))
