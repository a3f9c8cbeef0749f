#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record' is not in the way: signals reach the command and do not end the recording, and the command inherits what
it would have without it.

    signals.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    signals.py --list CASE...      (are these all there are?)
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from recording import (TRACEDB, check, environment, equal, no_leftovers, one, query, recorder_of, run_case, skip, start, wait_for)

# --- what is passed on ---

# says which signals it gets, until SIGTERM
LISTENER = '''
import signal, sys, time
def say(sig, frame):
    print(signal.Signals(sig).name if sig < signal.SIGRTMIN else f'RT{sig - signal.SIGRTMIN}', flush=True)
    if sig == signal.SIGTERM:
        sys.exit(4)
for sig in sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}):
    signal.signal(sig, say)
print('ready', flush=True)
while True:
    time.sleep(0.05)
'''


def listen():
    process = start('-q', '--force', '-o', 'x.db', '--', sys.executable, '-c', LISTENER)
    equal(process.stdout.readline(), 'ready\n', 'what the command says')
    return process


def case_passed_on():
    """All signals that one process sends another, whichever of the two programs they are sent to."""
    names = {signal.SIGUSR1: 'SIGUSR1', signal.SIGUSR2: 'SIGUSR2', signal.SIGALRM: 'SIGALRM', signal.SIGWINCH: 'SIGWINCH',
             signal.SIGXCPU: 'SIGXCPU', signal.SIGRTMIN + 3: 'RT3'}
    process = listen()
    for to_recorder in (False, True):
        for sig, name in names.items():
            os.kill(recorder_of(process) if to_recorder else process.pid, sig)
            equal(process.stdout.readline(), f'{name}\n', f'what the command gets, sent to tracedb-record: {to_recorder}')
    check(process.poll() is None, 'it goes on')
    process.terminate()
    out, err = process.communicate(timeout=60)
    equal((process.returncode, out), (4, 'SIGTERM\n'), err)
    equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')
    check(one('x.db', "SELECT count(*) FROM calls WHERE op = 'rt_sigreturn' OR op = 'clock_nanosleep'") > 5, 'calls')
    no_leftovers('x.db')


def case_group():
    """What is sent to the whole group, or to every process of a job step, reaches the command once."""
    with open('got', 'w', encoding='ascii') as got:
        process = subprocess.Popen([TRACEDB, 'record', '-q', '-o', 'x.db', '--', sys.executable, '-c', LISTENER], stdout=got,
                                   stderr=subprocess.PIPE, text=True, env=environment(), start_new_session=True)
    wait_for(lambda: Path('got').read_text(encoding='ascii') == 'ready\n', 'the command')
    recorder = recorder_of(process)
    command = int(Path(f'/proc/{recorder}/task/{recorder}/children').read_text(encoding='ascii').split()[0])
    all_of_them = (process.pid, recorder, command)
    for n, send in enumerate((lambda sig: os.killpg(process.pid, sig), lambda sig: [os.kill(pid, sig) for pid in all_of_them],
                              lambda sig: [os.kill(pid, sig) for pid in reversed(all_of_them)],
                              lambda sig: [os.kill(pid, sig) for pid in all_of_them[:2]],  # as pkill tracedb does
                              lambda sig: os.kill(recorder, sig), lambda sig: os.kill(process.pid, sig)), start=1):
        send(signal.SIGUSR1)
        time.sleep(0.5)
        equal(Path('got').read_text(encoding='ascii').count('SIGUSR1'), n, 'signals by now')
    os.killpg(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    equal((process.returncode, Path('got').read_text(encoding='ascii').count('SIGTERM')), (4, 1), err)


def case_quit():
    """SIGQUIT ends a recording in order, as SIGTERM does."""
    process = start('-o', 'x.db', '--', 'sh', '-c', 'trap "exit 9" QUIT; echo ready; while :; do sleep 0.05; done')
    process.stdout.readline()
    process.send_signal(signal.SIGQUIT)
    process.communicate(timeout=60)
    equal(process.returncode, 9, 'status')
    equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')


def case_without_command():
    """What only a command could mean does not end the recording of processes."""
    sleeper = subprocess.Popen(['sleep', '60'])
    process = start('-o', 'x.db', '-p', str(sleeper.pid))
    wait_for(lambda: os.path.exists('x.db.spool') and os.stat('x.db.spool').st_size > 500, 'the begin')
    for sig in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
        process.send_signal(sig)
        os.kill(recorder_of(process), sig)
    time.sleep(0.5)
    check(process.poll() is None and recorder_of(process), 'it goes on')
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status')
    sleeper.kill()
    sleeper.wait()


def case_nohup():
    """What is ignored when it begins stays ignored, by the recorder and by the command."""
    if not shutil.which('nohup'):
        skip('there is no nohup')
    process = subprocess.Popen(['nohup', TRACEDB, 'record', '-q', '-o', 'x.db', '--', 'sh', '-c',
                                'echo ready; sleep 1.5; echo end; exit 5'],
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment())
    process.stdout.readline()
    for pid in (process.pid, recorder_of(process)):
        os.kill(pid, signal.SIGHUP)
    out, _ = process.communicate(timeout=60)
    equal((process.returncode, out), (5, 'end\n'), 'status, and what the command says')
    equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')


# --- what is inherited ---

def masks(prefix, ignored):
    """What a command sees of its signals."""
    def ignore():
        for sig in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(sig, signal.SIG_DFL)  # Python ignores them
        for sig in ignored:
            signal.signal(sig, signal.SIG_IGN)

    done = subprocess.run([*prefix, 'cat', '/proc/self/status'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True, env=environment(), preexec_fn=ignore, restore_signals=False)
    status = dict(line.split(':\t', 1) for line in done.stdout.splitlines() if ':\t' in line)
    # not 32 and 33, which are the C library's: its posix_spawn() ignores them
    return [int(status[name], 16) & ~(3 << 31) for name in ('SigBlk', 'SigIgn', 'SigCgt')]


def case_dispositions():
    for ignored in ((), (signal.SIGPIPE, signal.SIGCHLD), (signal.SIGXFSZ, signal.SIGINT, signal.SIGUSR1)):
        equal(masks([TRACEDB, 'record', '-q', '--force', '-o', 'x.db', '--'], ignored), masks([], ignored),
              f'signals of a command that is to ignore {ignored}')


def case_descriptors():
    """Descriptors 0 to 2 that are closed are no files of ours, and closed for the command."""
    for closed in ((0,), (1,), (2,), (0, 1, 2)):
        def close(closed=closed):
            for fd in closed:
                os.close(fd)
        script = 'for fd in 0 1 2; do [ ! -e /proc/$$/fd/$fd ] || echo $fd >> open; done; cat in >/dev/null; exit 6'
        Path('in').write_text('in', encoding='ascii')
        done = subprocess.run([TRACEDB, 'record', '--force', '-o', 'x.db', '--', 'sh', '-c', script], check=False,
                              preexec_fn=close, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL)
        equal(done.returncode, 6, f'status without {closed}')
        still = Path('open').read_text(encoding='ascii').split() if os.path.exists('open') else []
        equal(still, [str(fd) for fd in range(3) if fd not in closed], f'open of 0 to 2 without {closed}')
        equal(one('x.db', "SELECT count(*) FROM calls WHERE verb = 'read' AND file = ?", f'{os.getcwd()}/in'), 2,
              f'reads without {closed}')
        Path('open').unlink(missing_ok=True)
        no_leftovers('in', 'x.db')


def case_file_size():
    """A limit of file sizes ends the recording or the import in words, and leaves nothing half made."""
    for limit, words in ((1100000, "'x.db.spool' is kept"), (64000, 'ulimit -f allows less')):
        def bound(n=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
        done = subprocess.run([TRACEDB, 'record', '-o', 'x.db', '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=400000',
                               'status=none'], check=False, capture_output=True, text=True, env=environment(), preexec_fn=bound)
        equal(done.returncode, 3, done.stderr)
        check(words in done.stderr, done.stderr)
        if limit > 1 << 20:
            check('that the limit of file sizes (ulimit -f) allows' in done.stderr, done.stderr)
            equal(subprocess.run([TRACEDB, 'import', '-q', '-o', 'y.db', 'x.db.spool'], check=False).returncode, 0, 'import')
            os.unlink('x.db.spool')
            equal(one('y.db', "SELECT count(*) FROM issue WHERE kind = 'size-limit'"), 1, 'what is noted')
            os.unlink('y.db')
        no_leftovers()



# --- who has sent them ---

def signals_of(db):
    return [(pid, json.loads(args)) for pid, args in query(
        db, "SELECT process.pid, args.text FROM mark JOIN string AS name ON name.id = name_id "
            "JOIN string AS args ON args.id = args_id JOIN process ON process.id = process_id WHERE name.text = 'signal' ORDER BY ts_ns")]


def case_senders():
    """A signal from a process that is not recorded says from whom; those within the recording are calls, and no news."""
    process = start('-q', '-o', 'x.db', '--', 'sh', '-c', 'sh -c "kill -9 \\$\\$"; trap "" USR2; echo $$; exec sleep 60')
    pid = int(process.stdout.readline())
    wait_for(lambda: Path(f'/proc/{pid}/comm').read_text(encoding='ascii') == 'sleep\n', 'sleep')
    killers = []
    for sig in ('USR2', 'KILL'):  # one after the other: what a dying process is sent is no signal any more
        killers.append(subprocess.Popen(['sh', '-c', f'kill -{sig} {pid}']))
        killers[-1].wait()
    process.communicate(timeout=60)
    equal(process.returncode, 128 + 9, 'status')
    got = signals_of('x.db')
    # numbers are those of the first pid namespace
    seen = one('x.db', 'SELECT pid FROM process WHERE namespace_pid = ? AND exit_status = -9', pid)
    for _, args in got:
        check(args['from_pid'] > 0, f'{args}')
        if seen != pid:
            del args['from_pid']
    want = [{'signal': 'SIGUSR2', 'from': 'sh', 'from_pid': killers[0].pid, 'from_uid': os.getuid(), 'ignored': True},
            {'signal': 'SIGKILL', 'from': 'sh', 'from_pid': killers[1].pid, 'from_uid': os.getuid()}]
    for args in want:
        if seen != pid:
            del args['from_pid']
    equal(sorted(map(str, got)), sorted(str((seen, args)) for args in want), 'signals')
    equal(one('x.db', "SELECT count(*) FROM calls WHERE op = 'kill' AND args GLOB '* SIGKILL'"), 1, 'what the recorded one sent')


def memory_group(limit):
    """The folder of a control group with so much memory."""
    for folder, file in (('/sys/fs/cgroup/memory', 'memory.limit_in_bytes'), ('/sys/fs/cgroup', 'memory.max')):
        group = f'{folder}/tracedb-test-{os.getpid()}'
        try:
            os.mkdir(group)
            Path(group, file).write_text(str(limit), encoding='ascii')
            swap = Path(group, 'memory.swap.max')
            if swap.exists():
                swap.write_text('0', encoding='ascii')
            return group
        except OSError:
            if os.path.isdir(group):
                os.rmdir(group)
    return skip('no control group with a limit of memory can be made here')


def case_out_of_memory():
    """Whom the kernel kills for want of memory."""
    group = memory_group(64 << 20)
    try:
        done = subprocess.run([TRACEDB, 'record', '-q', '-o', 'x.db', '--', 'sh', '-c',
                               f'echo $$ > {group}/cgroup.procs; exec {sys.executable} -S -c "x = bytearray(1 << 30)"'],
                              env=environment(), capture_output=True, text=True, check=False, timeout=120)
    finally:
        os.rmdir(group)
    equal(done.returncode, 128 + 9, done.stderr)
    pid = one('x.db', 'SELECT pid FROM process WHERE exit_status = -9')
    check((pid, {'signal': 'SIGKILL', 'from': 'kernel'}) in signals_of('x.db'), f'{signals_of("x.db")}')
    equal(query('x.db', "SELECT process.pid FROM mark JOIN string ON string.id = name_id JOIN process ON process.id = process_id "
                        "WHERE text = 'out-of-memory'"), [(pid,)], 'out of memory')


sys.exit(run_case(globals()))
