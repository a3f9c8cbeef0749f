#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'sudo tracedb record -- python train.py' from a virtual environment is that python, with the caller's environment.

    sudo.py TRACEDB CASE SUDO      (SUDO: tests/collector/sudo.c; 77: cannot be tried here, with the reason)
    sudo.py --list CASE...         (are these all there are?)
"""
import os
import subprocess
import sys
from pathlib import Path

from recording import NOBODY, TRACEDB, check, equal, run_case

SUDO = os.path.abspath(sys.argv[-1])
SHOW = '''#!/bin/sh
echo "$0 $VIRTUAL_ENV $CUDA_VISIBLE_DEVICES $HOME $USER ${SUDO_UID-none} $(id -u) $*"
'''


def as_from_venv(*args):
    """Runs sudo with args in a shell that has activated a virtual environment."""
    here = os.getcwd()
    os.chmod('.', 0o755)
    os.makedirs('venv/bin', exist_ok=True)
    Path('venv/bin/python').write_text(SHOW, encoding='ascii')
    os.chmod('venv/bin/python', 0o755)
    env = {'PATH': f'{here}/venv/bin:{os.environ["PATH"]}', 'VIRTUAL_ENV': f'{here}/venv', 'CUDA_VISIBLE_DEVICES': '2',
           'HOME': '/home/me', 'USER': 'me'}
    # what the sanitizers of a test's build are told
    env |= {name: value for name, value in os.environ.items() if name.endswith('SAN_OPTIONS')}
    done = subprocess.run([SUDO, *args], env=env, text=True, capture_output=True, check=False, timeout=60)
    return done, f'{here}/venv/bin/python {here}/venv'


def case_sudo_venv():
    record = [TRACEDB, 'record', '--force', '-o', 'x.db']
    done, python = as_from_venv(*record, 'python', 'train.py')
    equal((done.returncode, done.stdout), (0, f'{python} 2 /home/me me none {NOBODY} train.py\n'), done.stderr)
    equal(done.stderr.count('warning'), 0, done.stderr)
    done, python = as_from_venv('CUDA_VISIBLE_DEVICES=3', *record, 'python', 'train.py')
    equal(done.stdout, f'{python} 3 /home/me me none {NOBODY} train.py\n', 'what sudo is told to set')
    recorder = Path(TRACEDB).parent.parent / 'collector' / 'tracedb-record'
    done, python = as_from_venv(str(recorder), '--force', '-o', 'x.db', 'python', 'train.py')
    equal(done.stdout, f'{python} 2 /home/me me none {NOBODY} train.py\n', 'by tracedb-record itself')


def case_sudo_others():
    """Another user's command, and one from a shell of root, have what there is there."""
    done, _ = as_from_venv(TRACEDB, 'record', '--force', '-o', 'x.db', '--user', 'nobody', 'sh', '-c',
                           'echo "$VIRTUAL_ENV|$USER|$SUDO_UID"')
    equal(done.stdout, f'|nobody|{NOBODY}\n', 'as another user')
    done, _ = as_from_venv('sh', '-c', f'export CUDA_VISIBLE_DEVICES=5; {TRACEDB} record --force -o x.db -- '
                           """sh -c 'echo "$VIRTUAL_ENV|$CUDA_VISIBLE_DEVICES"'; exit 0""")
    equal(done.stdout, '|5\n', 'from a shell')
    check('sudo -E' not in done.stderr, done.stderr)


sys.exit(run_case(globals()))
