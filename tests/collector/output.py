#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record --phases-from-output' looks at what the command prints, and nobody notices but for the phases.

    output.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    output.py --list CASE...      (are these all there are?)
"""
import fcntl
import os
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from recording import (NOBODY, TRACEDB, check, children_of, environment, equal, no_leftovers, on_terminal, one, owner, query,
                       record, recorder_of, run_case, start, wait_for, writable_folder)

RECORD = (TRACEDB, 'record', '-q', '--force', '-o', 'x.db', '--phases-from-output', '--')
# nobody takes this file for a log
TAG = ':' * 3 + 'MLLOG '


def python(script):
    return [sys.executable, '-c', script]


def run(command, **more):
    return subprocess.run(command, env=environment(), check=False, timeout=120, **more)


def relays_of(process):
    return [pid for pid in children_of(process.pid)
            if Path(f'/proc/{pid}/comm').read_text(encoding='ascii') == 'tracedb-output\n']


# --- phases ---

# Each line says when it was written, some of it in pieces, one twice, one to standard error.
EPOCHS = '''
import sys, time
for n in 1, 2, 3:
    print(f'Epoch {n}/3 at {time.time_ns()}', end='', flush=True, file=sys.stderr if n == 2 else sys.stdout)
    time.sleep(0.6)
    print(' goes on', flush=True, file=sys.stderr if n == 2 else sys.stdout)
    print(f'Epoch {n}/3: 50 %', end='\\r', flush=True)
    time.sleep(0.1)
'''


def case_phases():
    """A phase begins when the first byte of its line comes, and ends with the next one, the last with the output."""
    done = record('-o', 'x.db', '--phase-pattern', 'Epoch [0-9]+', '--', *python(EPOCHS))
    equal(done.returncode, 0, done.stderr)
    no_leftovers('x.db')
    rows = query('x.db', "SELECT label, state, start_ns, end_ns, json_extract(args, '$.line'), json_extract(args, '$.time'), "
                         "json_extract(args, '$.end') FROM phases ORDER BY start_ns")
    equal([row[0] for row in rows], ['epoch 1', 'epoch 2', 'epoch 3'], 'phases')
    for (_, state, begin, end, line, basis, why), after in zip(rows, rows[1:] + [None]):
        at = int(line.split(' at ')[1].split()[0])
        check(0 <= begin - at + 1000 <= 500_000_000, f'{line!r} begins {begin - at} ns after it was written')  # printed in us
        equal((state, basis), ('complete', 'arrival'), line)
        equal((end, why), (after[2], None) if after else (end, 'end of the output'), line)
    last = query('x.db', 'SELECT max(end_ns) - max(start_ns) FROM phases')[0][0]
    check(700_000_000 <= last < 5_000_000_000, f'the last epoch took {last} ns')
    equal(one('x.db', "SELECT importer FROM source WHERE path = 'x.db.output'"), 'output', 'source')


def case_mlperf():
    """MLPerf's lines have the time that they say; without a pattern they are what is looked for."""
    line = TAG + '{"namespace": "", "time_ms": %d, "event_type": "%s", "key": "epoch_%s", "value": null, "metadata": {}}'
    script = '; '.join(f'print({line % event!r})' for event in ((1714557601000, 'INTERVAL_START', 'start'),
                                                                (1714557603000, 'INTERVAL_END', 'stop')))
    done = record('-q', '-o', 'x.db', '--phases-from-output', '--', *python(script))
    equal(done.returncode, 0, done.stderr)
    equal(query('x.db', 'SELECT label, start_ns, dur_ns FROM phases'), [('epoch', 1714557601_000_000_000, 2_000_000_000)], 'phases')


def case_none():
    """That nothing was found is said, with what could find something."""
    done = record('-o', 'x.db', '--phases-from-output', '--', 'echo', 'Epoch 1')
    check('no line of MLPerf\'s; --phase-pattern says which others begin one' in done.stderr, done.stderr)
    done = record('--force', '-o', 'x.db', '--phase-pattern', 'Stage [0-9]', '--', 'echo', 'Epoch 1')
    check('no line of MLPerf\'s, and none that --phase-pattern finds' in done.stderr, done.stderr)
    no_leftovers('x.db')
    for args, words in ((['--phase-pattern', '(', 'true'], 'no POSIX extended regular expression'),
                        (['--phase-pattern', 'x', '-a'], 'for a command or a --log'),
                        (['--phases-from-output', '-a'], 'for a command')):
        done = record(*args)
        equal(done.returncode, 2, f'status of {args}')
        check(words in done.stderr, f'{args}: {done.stderr!r} has no {words!r}')
    done = record('-o', 'y.db', '--phases-from-output', 'no-such-command')
    equal(done.returncode, 127, 'status of what cannot be executed')
    no_leftovers('x.db')


def case_later():
    """What is left for later has the phases, too; those who had it before are not lost by another recording."""
    done = record('--no-import', '-o', 'x.db', '--phase-pattern', 'Epoch [0-9]+', '--', 'echo', 'Epoch 4')
    check("'tracedb import x.db.spool x.db.output' makes a database of it" in done.stderr, done.stderr)
    no_leftovers('x.db.output', 'x.db.spool')
    equal(owner('x.db.output')[2], 0o600, 'mode')
    equal(run([TRACEDB, 'import', '-q', 'x.db.spool', 'x.db.output']).returncode, 0, 'import')
    equal(query('x.db', 'SELECT label, state FROM phases'), [('epoch 4', 'complete')], 'phases')
    Path('y.db.output').write_text('mine', encoding='ascii')
    done = record('-o', 'y.db', '--phases-from-output', '--', 'touch', 'ran')
    equal(done.returncode, 3, 'status where a file of that name is another\'s')
    no_leftovers('x.db', 'x.db.output', 'x.db.spool', 'y.db.output')


# --- not in the way ---

NOISE = '''
import os, random
r = random.Random(%d)
for _ in range(400):
    fd = r.choice((1, 2))
    data = r.randbytes(r.randrange(1, 20000))
    while data:
        data = data[os.write(fd, data):]
'''


def case_bytes():
    """What comes out is what was written, of any bytes, in the order of one stream, or of two that are one."""
    for seed in 1, 2:
        command = python(NOISE % seed)
        plain = run(command, capture_output=True)
        check(len(plain.stdout) > 1_000_000 and len(plain.stderr) > 1_000_000, 'it is much')
        done = run([*RECORD, *command], capture_output=True)
        equal(done.returncode, 0, 'status')
        check(done.stdout == plain.stdout, 'standard output')
        # root is warned before, and all that there are no phases behind
        check(plain.stderr in done.stderr and len(done.stderr) < len(plain.stderr) + 500, 'standard error')
        for program, name in ((command, 'plain'), ([*RECORD, *command], 'recorded')):
            with open(name, 'wb') as both:
                run(program, stdout=both, stderr=both)
        check(Path('plain').read_bytes() in Path('recorded').read_bytes(), 'both in one file')


# What a program can see of its terminal, and all bytes.
LOOK = '''
import os, sys, termios
print([os.isatty(fd) for fd in (0, 1, 2)], os.get_terminal_size(1), os.get_terminal_size(2), os.getpgrp() == os.tcgetpgrp(0))
print('to stderr', file=sys.stderr)
sys.stdout.flush()
os.write(1, bytes(range(256)) * 40)
os.write(2, b'a\\tb\\r\\nc\\n')
sys.exit(7)
'''


def case_terminal():
    """A terminal stays one, of the same size, and what comes out on it is the same to the byte."""
    plain, status = on_terminal(python(LOOK), (33, 101))
    equal(status, 7, 'status without')
    check(b'[True, True, True] os.terminal_size(columns=101, lines=33)' in plain, plain[:200])
    recorded, status = on_terminal([*RECORD, *python(LOOK)], (33, 101))
    equal(status, 7, 'status')
    check(plain in recorded and len(recorded) < len(plain) + 500, recorded[:400])


# Says what size it has whenever it is told that it has another, until that is of 99 lines.
SIZES = '''
import os, signal, time
def say(*_):
    # a signal may come while one is said, which print() does not take
    os.write(1, 'size {} {}\\n'.format(*os.get_terminal_size(1)).encode())
signal.signal(signal.SIGWINCH, say)
say()
while os.get_terminal_size(1).lines != 99:
    time.sleep(0.02)
'''


def case_window():
    """The command is told of a new size when it can see it."""
    sizes = iter(((30, 90), (25, 81), (50, 132), (99, 120)))
    sent = []

    def feed(terminal, text):
        last = re.findall(rb'size (\d+) (\d+)', text)[-1:]
        if last and (not sent or tuple(map(int, reversed(last[0]))) == sent[-1]):
            for size in sizes:
                sent.append(size)
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('4H', *size, 0, 0))
                break

    text, status = on_terminal([*RECORD, *python(SIZES)], (24, 80), feed)
    equal(status, 0, text)
    equal(len(sent), 4, f'sizes that were seen: {text}')


def case_job_control():
    """Ctrl-Z stops all of it, fg lets it go on, Ctrl-C reaches the command."""
    Path('count').write_text('import time\nfor n in range(300):\n    print("Epoch", n, flush=True)\n    time.sleep(0.1)\n',
                             encoding='ascii')
    # what is typed when what was there
    steps = [(r'\$ $', f'{" ".join(RECORD)} {sys.executable} count\n'), (r'Epoch 3\r', '\x1a'), (r'Stopped.*\$ $', 'sleep 0.5; fg\n'),
             (r'Epoch 9\r', '\x03'), (r'KeyboardInterrupt.*\$ $', 'exit $?\n')]
    seen = 0

    def feed(terminal, text):
        nonlocal seen
        if steps and re.search(steps[0][0], text[seen:].decode(), re.DOTALL):
            seen = len(text)
            os.write(terminal, steps.pop(0)[1].encode())

    shell = environment(PS1='$ ', TERM='dumb', HISTFILE='')
    text, status = on_terminal(['bash', '--norc', '--noprofile', '--noediting', '-i'], (24, 80), feed, shell)
    equal((status, steps), (130, []), text)
    lines = [int(n) for n in re.findall(rb'Epoch (\d+)\r', text)]
    equal(lines, list(range(len(lines))), 'lines')


def case_nohup():
    """The end of the terminal's session ends none of it."""
    with open('got', 'wb') as got:
        process = subprocess.Popen(['nohup', *RECORD, 'sh', '-c', 'echo ready; sleep 1.5; echo end; exit 5'], stdout=got,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), start_new_session=True)
        wait_for(lambda: Path('got').read_bytes() == b'ready\n', 'the command')
        os.killpg(process.pid, signal.SIGHUP)
        equal(process.wait(timeout=60), 5, 'status')
    equal(Path('got').read_bytes(), b'ready\nend\n', 'output')


def case_closed():
    """Descriptors that are closed stay closed."""
    script = 'for fd in 0 1 2; do if [ -e /proc/self/fd/$fd ]; then printf "$fd "; fi; done >got'
    for closed in '>&-', '2>&-', '>&- 2>&-', '<&- >&-', '':
        seen = []
        for prefix in '', ' '.join(RECORD):
            run(['bash', '-c', f'{prefix} sh -c "$0" {closed}', script], capture_output=True)
            seen.append(Path('got').read_text(encoding='ascii'))
        equal(seen[1], seen[0], f'open with {closed!r}')


def case_reader_gone():
    """Who writes to nobody is told so."""
    for script, want in (('exec yes', 128 + signal.SIGPIPE), ('trap "" PIPE; yes 2>got; exit 9', 9),
                         # nobody has to write a second time to be told
                         ('trap "" PIPE; echo y; sleep 0.5; echo 2 || exit 8', 8)):
        done = run(['bash', '-c', f'{" ".join(RECORD)} sh -c "$0" | head -n 1; exit ${{PIPESTATUS[0]}}', script], capture_output=True)
        equal((done.returncode, done.stdout), (want, b'y\n'), f'{script}: status')
    check('Broken pipe' in Path('got').read_text(encoding='ascii'), 'what it says')


def case_full():
    """A disk that is full does not end the command, but it is said."""
    with open('/dev/full', 'wb') as full:
        done = run([*RECORD, 'sh', '-c', 'echo 1; sleep 0.1; echo 2; exit 5'], stdout=full, stderr=subprocess.PIPE)
    equal(done.returncode, 5, 'status')
    check(b"the command's output could not be written" in done.stderr, done.stderr)


def case_daemon():
    """What the command leaves behind goes on writing when the recorder has ended."""
    process = subprocess.Popen([*RECORD, 'sh', '-c', '(sleep 9; echo late) & echo soon'], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env=environment())
    began = time.monotonic()
    equal(process.stdout.readline(), 'soon\n', 'the command')
    equal(process.wait(timeout=60), 0, 'status')
    check(time.monotonic() - began < 8.5, 'it does not wait')
    equal(process.stdout.read(), 'late\n', 'the daemon')


def case_killed():
    """When recorder and tracedb are killed the command is not, and what was found is there."""
    process = start('-q', '-o', 'x.db', '--phase-pattern', 'Epoch [0-9]+', '--', *python(
        'import time\nfor n in range(1, 5):\n    print(f"Epoch {n}", flush=True)\n    time.sleep(0.7)\nopen("ran", "w")'))
    equal([process.stdout.readline() for _ in range(3)], ['Epoch 1\n', 'Epoch 2\n', 'Epoch 3\n'], 'its first lines')
    wait_for(lambda: os.stat('x.db.spool').st_size > 500, 'what is recorded')
    recorder = recorder_of_output(process)
    os.kill(process.pid, signal.SIGSTOP)  # or it hears of the recorder's end before its own
    wait_for(lambda: '\nState:\tT' in Path(f'/proc/{process.pid}/status').read_text(encoding='ascii'), 'tracedb to stand still')
    for pid in recorder, process.pid:
        os.kill(pid, signal.SIGKILL)
    equal(process.stdout.read(), 'Epoch 4\n', 'what it prints after that')
    wait_for(lambda: os.path.exists('ran'), 'the end of the command')
    wait_for(lambda: '\tend\n' in Path('x.db.output').read_text(encoding='ascii'), 'the end of the output')
    equal(run([TRACEDB, 'import', '-q', 'x.db.spool', 'x.db.output'], stderr=subprocess.DEVNULL).returncode, 4, 'import')
    equal(query('x.db', 'SELECT label, state FROM phases ORDER BY start_ns'),
          [(f'epoch {n}', 'complete') for n in range(1, 5)], 'phases')


def recorder_of_output(process):
    return next(pid for pid in children_of(process.pid) if pid not in relays_of(process))


def case_signals():
    """What ends the command, sent to all of the group, ends no relay before the command has said its last word."""
    script = 'trap "sleep 0.3; echo last; exit 6" INT TERM HUP; echo ready; while :; do sleep 0.05; done'
    for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        process = subprocess.Popen([*RECORD, 'sh', '-c', script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env=environment(), start_new_session=True)
        equal(process.stdout.readline(), 'ready\n', 'the command')
        os.killpg(process.pid, sig)
        equal((process.stdout.read(), process.wait(timeout=60)), ('last\n', 6), f'after {sig!r}')


def case_duration():
    """Of a recording that ends before the command: phases so far, the last one without an end; what comes later is printed."""
    # python has 2 s to start, and the recorder 2 s to stop
    done = record('-q', '-o', 'x.db', '--duration', '2', '--phase-pattern', 'Epoch [0-9]+', '--', *python(
        'import time\nprint("Epoch 1\\nEpoch 2", flush=True)\ntime.sleep(4)\nprint("Epoch 3", flush=True)'))
    equal((done.returncode, done.stdout), (0, 'Epoch 1\nEpoch 2\nEpoch 3\n'), done.stderr)
    equal(query('x.db', 'SELECT label, state FROM phases ORDER BY start_ns'), [('epoch 1', 'complete'), ('epoch 2', 'unfinished')],
          'phases')
    no_leftovers('x.db')


def case_trigger():
    """What a flight recorder holds at a trigger has the phases so far, also those that began before."""
    process = start('-q', '--flight-recorder', '1', '--trigger', 'USR2', '-o', 'x.db', '--phase-pattern', 'Epoch [0-9]+', '--',
                    *python('import time\nfor n in range(1, 5):\n    print(f"Epoch {n}", flush=True)\n    time.sleep(1)'))
    equal([process.stdout.readline() for _ in range(3)], ['Epoch 1\n', 'Epoch 2\n', 'Epoch 3\n'], 'its first lines')
    process.send_signal(signal.SIGUSR2)
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status')
    part = next(name for name in os.listdir('.') if name != 'x.db')
    no_leftovers(part, 'x.db')
    want = [(f'epoch {n}', 'complete') for n in range(1, 5)]
    equal(query(part, 'SELECT label, state FROM phases ORDER BY start_ns'), want[:2] + [('epoch 3', 'unfinished')], 'phases of the part')
    equal(query('x.db', 'SELECT label, state FROM phases ORDER BY start_ns'), want, 'phases of all')


# --- rights ---

def case_rights():
    """The process that reads the output is the user who called sudo, without any capability, and has no file but what it needs.
    That user can open the streams again by their names."""
    writable_folder(NOBODY)
    env = environment(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY))
    script = 'echo ready; echo again >/dev/stdout; echo error >/dev/stderr; read line'
    process = subprocess.Popen([*RECORD, 'sh', '-c', script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=env)
    equal([process.stdout.readline() for _ in range(2)], ['ready\n', 'again\n'], 'standard output')
    relays = relays_of(process)
    equal(len(relays), 2, 'relays')
    for pid in relays:
        status = dict(line.split(':\t', 1) for line in Path(f'/proc/{pid}/status').read_text(encoding='ascii').splitlines()
                      if ':\t' in line)
        for name, want in (('Uid', f'{NOBODY}\t' * 3 + str(NOBODY)), ('Gid', f'{NOBODY}\t' * 3 + str(NOBODY)), ('CapEff', '0' * 16),
                           ('CapPrm', '0' * 16), ('NoNewPrivs', '1')):
            equal(status[name], want, name)
        files = [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]
        equal(sorted({re.sub(r':\[\d+\]|^.*/theirs/', '', name) for name in files}),
              ['/dev/null', 'pipe', 'socket', 'x.db.output'], 'files')
        equal(len([name for name in files if name.startswith('pipe')]), 2, f'pipes among {files}')
    equal(owner('x.db.output'), (NOBODY, NOBODY, 0o600), 'the file of lines')
    _, err = process.communicate('\n', timeout=60)
    check('error\n' in err and 'enied' not in err, err)
    equal(process.returncode, 0, 'status')
    equal(owner('x.db'), (NOBODY, NOBODY, 0o600), 'the database')
    os.chown(os.getcwd(), NOBODY, NOBODY)
    text, status = on_terminal([*RECORD, 'sh', '-c', 'echo out >/dev/stdout; echo error >/dev/stderr'], (24, 80), env=env)
    check(b'out\r\nerror\r\n' in text and status == 0, text)


sys.exit(run_case(globals()))
