#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record --flight-recorder --trigger' by a condition, with a library that stands in for NVIDIA's.

    triggers.py TRACEDB CASE SUDO        (77: cannot be tried here, with the reason)
    triggers.py --list CASE...           (are these all there are?)
"""
import os
import subprocess
import sys
import time
from pathlib import Path

from recording import TRACEDB, check, environment, equal, one, query, record, run_case, skip, wait_for

SECOND = 10**9
FAKE = Path(sys.argv[-1]).resolve().parent.parent / 'fake-nvml'


def use(percent):
    """What the GPU does from now on."""
    with open('use', 'a', encoding='ascii') as f:
        f.write(f'{time.time_ns() // 1000} {percent}\n')
    return time.time_ns()


def part(number):
    """The time at which a part was written."""
    name = f'run-{number}.db'
    wait_for(lambda: os.path.exists(name) and not os.path.exists(name + '.spool'), name)
    equal(one(name, 'SELECT state FROM source'), 'complete', f'state of {name}')
    return one(name, "SELECT ts_ns FROM mark JOIN string ON string.id = name_id WHERE text = 'record-end'")


def case_gpu_idle():
    """A part when the GPU has been idle for a second, one each time, and none for shorter pauses."""
    use(90)
    process = subprocess.Popen(
        [TRACEDB, 'record', '--flight-recorder', '30', '--trigger', 'gpu idle > 1s', '-o', 'run.db', '--', 'sh', '-c',
         'touch started; while [ ! -e stop ]; do sleep 0.1; done; exit 3'],
        env=environment(LD_LIBRARY_PATH=str(FAKE), FAKE_NVML_USE=os.path.abspath('use')), text=True,
        stderr=subprocess.PIPE)
    # a recorder with sanitizers, on a busy machine, may be about to start for seconds: from here on it samples
    wait_for(lambda: os.path.exists('started'), 'the command')
    time.sleep(2)
    use(0)
    time.sleep(0.6)
    use(50)
    time.sleep(1.5)
    check(not os.path.exists('run-1.db.spool') and not os.path.exists('run-1.db'), 'nothing comes of a short pause')
    idle_ns = use(0)
    written_ns = part(1)
    # samples of 200 ms, read once a second; the rest is for a machine that has other things to do
    check(SECOND < written_ns - idle_ns < 6 * SECOND, f'written {written_ns - idle_ns} ns after it had begun to idle')
    time.sleep(2.5)
    check(not os.path.exists('run-2.db.spool') and not os.path.exists('run-2.db'), 'it comes once')
    use(70)
    time.sleep(1)
    idle_ns = use(0)
    check(SECOND < part(2) - idle_ns < 6 * SECOND, 'again when it has worked')
    Path('stop').touch()
    _, err = process.communicate(timeout=60)
    equal(process.returncode, 3, err)
    # the part ends with idling: the last five samples at least
    values = [value for value, in query('run-1.db', "SELECT value FROM samples WHERE counter = 'gpu.sm' AND pid IS NULL ORDER BY end_ns")]
    equal(values[-5:], [0.0] * 5, 'the last samples')
    check(90.0 in values and 50.0 in values, f'what was before: {values}')
    equal(sorted(name for name in os.listdir('.') if name.endswith('.db')), ['run-1.db', 'run-2.db', 'run.db'], 'databases')


def case_gpu_idle_no_gpu():
    """That it cannot come is said."""
    if os.path.exists('/proc/driver/nvidia'):
        skip("there is NVIDIA's driver")
    done = record('-o', 'run.db', '--flight-recorder', '30', '--trigger', 'gpu idle > 1s', '--', 'sleep', '1')
    equal(done.returncode, 0, done.stderr)
    check('GPUs are not sampled: no NVIDIA driver' in done.stderr and '--trigger will not come' in done.stderr, done.stderr)


sys.exit(run_case(globals()))
