#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record' under names that others use, too: nobody's recording is destroyed, and nobody else can read it.

    names.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    names.py --list CASE...      (are these all there are?)
"""
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

from recording import (TRACEDB, check, environment, equal, no_leftovers, one, query, record, recorder_of, run_case, start, wait_for)

MLLOG = (':::' 'MLLOG {"namespace": "", "time_ms": 1714557601000, "event_type": "INTERVAL_START", "key": "run_start", '
         '"value": null, "metadata": {"file": "a", "lineno": 1}}\n')
WAITS = ['sh', '-c', 'cat in > /dev/null; echo ready; while [ ! -e stop ]; do sleep 0.05; done']


def tracedb(*args):
    return subprocess.run([TRACEDB, *args], check=False, capture_output=True, text=True, timeout=60)


def begin(*args):
    Path('in').write_text('in', encoding='ascii')
    process = start(*args, '--', *WAITS)
    equal(process.stdout.readline(), 'ready\n', 'what the command says')
    return process


def ends_well(process, db):
    Path('stop').touch()
    _, err = process.communicate(timeout=60)
    equal(process.returncode, 0, err)
    equal(query(db, 'SELECT state, lost_events FROM source'), [('complete', 0)], f'source of {db}')
    check(one(db, "SELECT count(*) FROM calls WHERE verb = 'read' AND file = ?", f'{os.getcwd()}/in') > 0, f'reads in {db}')


def case_still_recording():
    """A recording that goes on is not imported, not replaced, and not taken for one that was left."""
    process = begin('-o', 'x.db')
    done = tracedb('import', 'x.db.spool')
    equal(done.returncode, 3, 'status of the import')
    check("'x.db.spool': still recording" in done.stderr, done.stderr)
    # with an older database where it would go, which stays
    Path('x.db').write_bytes(b'')
    for options in ([], ['--force'], ['--append']):
        done = tracedb('import', *options, 'x.db.spool')
        equal(done.returncode, 3, f'status of the import {options} over a database')
        check("'x.db.spool': still recording" in done.stderr, f'{options}: {done.stderr}')
        equal(done.stderr.count('\n'), 1, f'lines of {options}: {done.stderr}')
    equal(Path('x.db').read_bytes(), b'', 'the database')
    Path('x.db').unlink()
    for force in ([], ['--force']):
        done = record(*force, '-o', 'x.db', '--', 'touch', 'ran')
        equal(done.returncode, 3, f'status of another recording {force}')
        check("'x.db.spool' is being recorded" in done.stderr, done.stderr)
        check('%r' in done.stderr, f'what to do about it: {done.stderr}')
        equal(done.stderr.count('error'), 1, done.stderr)
    no_leftovers('in', 'x.db.spool')
    # beside others
    Path('log.jsonl').write_text(MLLOG, encoding='ascii')
    done = tracedb('import', '-o', 'y.db', 'log.jsonl', 'x.db.spool')
    equal(done.returncode, 4, f'status of an import of both: {done.stderr}')
    equal(query('y.db', 'SELECT path, state FROM source ORDER BY path'), [('log.jsonl', 'complete'), ('x.db.spool', 'failed')],
          'its sources')
    ends_well(process, 'x.db')
    no_leftovers('in', 'log.jsonl', 'stop', 'x.db', 'y.db')


def case_until_imported():
    """A recording that is over is nobody else's before it is imported."""
    process = begin('-o', 'x.db')
    process.send_signal(signal.SIGSTOP)
    Path('stop').touch()
    stat = Path(f'/proc/{recorder_of(process)}/stat')
    wait_for(lambda: ') Z ' in stat.read_text(encoding='ascii'), 'the end of the recorder')
    done = record('--force', '-o', 'x.db', '--', 'touch', 'ran')
    equal(done.returncode, 3, 'status of another recording')
    process.send_signal(signal.SIGCONT)
    ends_well(process, 'x.db')
    no_leftovers('in', 'stop', 'x.db')


def case_killed_early():
    """A recorder that was killed before it wrote anything leaves nothing that is in the way."""
    Path('x.db.spool').touch()
    done = tracedb('import', 'x.db.spool')
    equal(done.returncode, 3, 'status of the import')
    check("'x.db.spool' is empty" in done.stderr, done.stderr)
    equal(record('-o', 'x.db', '--', 'true').returncode, 0, 'status of the next recording')
    no_leftovers('x.db')
    # what somebody else has under that name stays
    for thing in (lambda: os.symlink('nothing', 'y.db.spool'), lambda: Path('y.db.spool').write_text('mine', encoding='ascii')):
        thing()
        equal(record('-o', 'y.db', '--', 'true').returncode, 3, 'status with another thing in the way')
        os.unlink('y.db.spool')
    no_leftovers('x.db')


def case_ranks():
    """All of a job at once under one name: one of them gets it, whole. Under names of their own they all do."""
    Path('in').write_text('in', encoding='ascii')
    Path('stop').touch()

    def all_of(*args):
        ranks = [subprocess.Popen([TRACEDB, 'record', *args, '--', 'cat', 'in'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=environment(SLURM_PROCID=str(rank)), text=True) for rank in range(4)]
        return [(process.communicate(timeout=100)[1], process.returncode) for process in ranks]

    results = all_of('-o', 'x.db')
    statuses = sorted(status for _, status in results)
    equal((statuses[0], statuses[-1]), (0, 3), f'{results}')
    equal(query('x.db', 'SELECT state, lost_events FROM source'), [('complete', 0)], 'the one that there is')
    no_leftovers('in', 'stop', 'x.db')
    results = all_of('-q', '-o', 'run-%h-%r.db')
    equal([status for _, status in results], [0] * 4, f'{results}')
    host = socket.gethostname().split('.')[0]
    no_leftovers('in', 'stop', 'x.db', *[f'run-{host}-{rank}.db' for rank in range(4)])


def case_patterns():
    process = start('--no-import', '-o', 'x%%-%p.db', '--', 'true')
    process.communicate(timeout=60)
    equal(tracedb('import', '-o', 'y.db', f'x%-{process.pid}.db.spool').returncode, 0, 'status of the import')
    equal(query('y.db', "SELECT json_extract(text, '$.command') FROM mark JOIN string ON string.id = args_id "
                        "ORDER BY ts_ns LIMIT 1"), [('tracedb record --no-import -o x%%-%p.db -- true',)], 'what the recording says that it was given')
    os.unlink('y.db')
    no_leftovers(f'x%-{process.pid}.db.spool')
    os.unlink(f'x%-{process.pid}.db.spool')
    step = {'SLURM_PROCID': '12', 'SLURM_STEP_NUM_TASKS': '16'}
    for env, rank in ((environment(RANK='7'), 7), (environment(RANK='1', **step), 12), (environment(RANK='1', WORLD_SIZE='2', **step), 1)):
        equal(record('-q', '-o', '%r.db', 'true', env=env).returncode, 0, 'status')
        no_leftovers(f'{rank}.db')
        os.unlink(f'{rank}.db')
    for name, env, words in (('%r.db', environment(), 'SLURM_PROCID'), ('%r.db', environment(RANK='../1'), 'RANK'),
                             ('%x.db', environment(), '%h'), ('x%', environment(), '%h')):
        done = record('-o', name, 'true', env=env)
        equal(done.returncode, 2, f'status of {name}')
        check(words in done.stderr, done.stderr)
    no_leftovers()


def case_private():
    """What is recovered from a spool is as private as that; other logs are as the user wants them."""
    record('-q', '--no-import', '-o', 'x.db', '--', 'true')
    Path('log.jsonl').write_text(MLLOG, encoding='ascii')
    for inputs, mode in ((['x.db.spool'], 0o600), (['log.jsonl', 'x.db.spool'], 0o600), (['log.jsonl'], 0o640)):
        done = subprocess.run([TRACEDB, 'import', '-q', '-o', 'y.db', *inputs], check=False, preexec_fn=lambda: os.umask(0o027))
        equal((done.returncode, stat.S_IMODE(os.stat('y.db').st_mode)), (0, mode), f'status and mode of {inputs}')
        os.unlink('y.db')


sys.exit(run_case(globals()))
