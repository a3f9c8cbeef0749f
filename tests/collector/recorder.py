#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record' from the outside: what ends up in the database, who owns it, and with which status it all ends,
in good times and bad.

    recorder.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    recorder.py --list CASE...      (are these all there are?)
"""
import os
import random
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recording import (NOBODY, TRACEDB, check, check_loss, environment, equal, no_leftovers, one, owner, query, record,
                       recorder_of, run_case, skip, start, wait_for, writable_folder)

# --- what is recorded ---

def case_whole():
    Path('in').write_bytes(bytes(7000))
    done = record('-o', 'x.db', '--', 'dd', 'if=in', 'of=out', 'bs=1000', 'status=none')
    equal(done.returncode, 0, 'status')
    equal(done.stdout, '', 'standard output')
    no_leftovers('in', 'out', 'x.db')
    mode = os.stat('x.db')
    equal(stat.S_IMODE(mode.st_mode), 0o600, 'mode')
    # 7000 / 1000 and one that finds the end
    here = os.getcwd()
    equal(query('x.db', 'SELECT op, count(*), sum(done_bytes) FROM calls WHERE file = ? AND verb IN (?, ?) GROUP BY 1',
                f'{here}/in', 'read', 'write'), [('read', 8, 7000)], 'reads')
    equal(query('x.db', 'SELECT op, count(*), sum(done_bytes) FROM calls WHERE file = ? AND verb IN (?, ?) GROUP BY 1',
                f'{here}/out', 'read', 'write'), [('write', 7, 7000)], 'writes')
    # the kernel's own threads may write back something meanwhile
    equal(query('x.db', 'SELECT name, exit_status, command_line, user FROM process WHERE command_line NOTNULL'),
          [('dd', 0, 'dd if=in of=out bs=1000 status=none', 'root')], 'processes')
    source = query('x.db', 'SELECT path, importer, state, lines - rows - skipped - issues, issues, lost_events, clock FROM source')
    equal(source, [('x.db.spool', 'record', 'complete', 0, 0, 0, 'boot')], 'source')
    check(0 < one('x.db', 'SELECT clock_error_ns FROM source') < 100000, 'the clock is known to 100 us')
    start_ns = one('x.db', "SELECT start_ns FROM process")
    check(abs(start_ns / 1e9 - mode.st_mtime) < 60, 'times are of today')
    check(one('x.db', "SELECT value FROM summary WHERE name = 'collector.cpu'") > 0, 'CPU time of the recorder')
    check(one('x.db', "SELECT min(value) FROM summary WHERE name = 'bpf.run_time'") > 0, 'time of the BPF programs')
    equal(check_loss('x.db'), 0, 'lost')
    equal(query('x.db', "SELECT text FROM mark JOIN string ON string.id = name_id ORDER BY ts_ns"),
          [('record-start',), ('record-end',)], 'marks')
    check('recorded ' in done.stderr and 'none lost' in done.stderr, 'what is said at the end')


def case_cpu():
    record('-q', '-o', 'x.db', '--cpu', '--rate', '50', '--', 'sleep', '1')
    samples = one('x.db', "SELECT count(*) FROM sample JOIN track ON track.id = track_id "
                          "WHERE track.name = 'cpu.idle' AND device_id IS NULL")
    check(20 <= samples <= 60, f'{samples} samples in a second at 50 Hz')


def case_no_gpu():
    """--gpu where there is none: said once, however long it takes, and all else is recorded."""
    if os.path.exists('/proc/driver/nvidia'):
        skip("there is NVIDIA's driver")
    for command in (['true'], ['sleep', '1']):
        done = record('--force', '-q', '--gpu', '-o', 'x.db', '--', *command)
        equal(done.returncode, 0, 'status')
        equal(done.stderr.count('GPUs are not sampled: no NVIDIA driver'), 1, done.stderr)
        equal(one('x.db', "SELECT count FROM issue_count WHERE kind = 'no-gpu'"), 1, 'noted')
        check(one('x.db', 'SELECT count(*) FROM call') > 0, 'calls')


def case_status():
    for command, want in ((['sh', '-c', 'exit 3'], 3), (['sh', '-c', 'kill -9 $$'], 128 + 9), (['true'], 0)):
        done = record('-q', '--force', '-o', 'x.db', '--', *command)
        equal(done.returncode, want, f'status of {command}')
        no_leftovers('x.db')
    os.unlink('x.db')
    Path('data').write_text('no program', encoding='ascii')
    for name, want in (('./nonexistent', 127), ('nonexistent-command', 127), ('./data', 126)):
        done = record('-o', 'x.db', name)
        equal(done.returncode, want, f'status of {name}')
        check(f"cannot execute '{name}'" in done.stderr, f'message about {name}')
        no_leftovers('data')


def case_script():
    """One without '#!' is for the shell; options behind it are its own."""
    Path('script').write_text('echo "$@" $PWD $VARIABLE', encoding='ascii')
    os.chmod('script', 0o755)
    done = record('-q', '-o', 'x.db', './script', '-e', '--pid', env=environment(VARIABLE='kept'))
    equal(done.stdout, f'-e --pid {os.getcwd()} kept\n', 'arguments, folder and environment')


def case_usage():
    for args, status, words in (
            ([], 2, 'what is to be recorded?'),
            (['-e', 'file_oi', 'true'], 2, "did you mean 'file_io'?"),
            (['-p', '0'], 2, 'process id'),
            (['--duration', 'x', 'true'], 2, 'expected a time'),
            (['--max-size', '1k', 'true'], 2, '1 MiB'),
            (['--user', 'nobody', '-a'], 2, '--user'),
            (['--all-users', 'true'], 2, '--all-users'),
            (['--user', 'no-such-user', 'true'], 3, "no user 'no-such-user'"),
            (['-p', '999999999'], 3, 'there is no process 999999999'),
            (['--cgroup', '/no/such', '-a'], 3, 'control group'),
            (['-o', '/nonexistent/x.db', 'true'], 3, 'No such file'),
            (['--falg', 'true'], 2, "unknown option '--falg'")):
        done = record(*args)
        equal(done.returncode, status, f'status of {args}')
        check(words in done.stderr, f'{args}: {done.stderr!r} has no {words!r}')
    no_leftovers()
    Path('x.db').touch()
    done = record('-o', 'x.db', 'touch', 'ran')
    equal(done.returncode, 3, 'status when the database exists')
    check('--force' in done.stderr, 'message when the database exists')
    no_leftovers('x.db')
    os.unlink('x.db')
    Path('x.db.spool').write_text('records', encoding='ascii')
    done = record('-o', 'x.db', 'touch', 'ran')
    equal(done.returncode, 3, 'status when there is a spool')
    check('tracedb import x.db.spool' in done.stderr, 'message when there is a spool')
    no_leftovers('x.db.spool')
    equal(record('-q', '--force', '-o', 'x.db', 'touch', 'ran').returncode, 0, 'status with --force')
    no_leftovers('ran', 'x.db')


def case_cost():
    """Of 1.5 million calls half a million tell what one costs, or those of two seconds, which are fewer on a busy machine, and
    those that come later are not measured; of few all are."""
    for blocks, least, most in ((750000, 50000, 1000000), (500, 1000, 100000)):
        record('-q', '--force', '-e', 'file_io', '-o', 'run.db', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', f'count={blocks}')
        runs = one('run.db', "SELECT max(value) FROM summary WHERE name = 'bpf.runs'")
        check(least <= runs <= most, f'{runs} runs were measured of {2 * blocks} calls')


def case_no_import():
    done = record('--no-import', '-o', 'x.db', '--', 'true')
    equal(done.returncode, 0, 'status')
    no_leftovers('x.db.spool')
    equal(stat.S_IMODE(os.stat('x.db.spool').st_mode), 0o600, 'mode')
    equal(subprocess.run([TRACEDB, 'import', '-q', 'x.db.spool'], check=False).returncode, 0, 'import')
    check(os.path.exists('x.db'), 'the default name of the database is that without .spool')


# --- signals ---

TRAP = 'trap "echo INT; exit 7" INT; trap "exit 8" TERM; echo ready; while :; do sleep 0.05; done'


def begin(*args, **more):
    """Starts it and waits until the command says that it is ready."""
    process = start(*args, **more)
    equal(process.stdout.readline(), 'ready\n', 'what the command says')
    return process


def case_interrupt():
    """A signal to tracedb or to tracedb-record is the command's, and the recording ends with it."""
    for sig, want in ((signal.SIGINT, 7), (signal.SIGTERM, 8)):
        for to_recorder in (False, True):
            process = begin('--force', '-o', 'x.db', '--', 'sh', '-c', TRAP)
            os.kill(recorder_of(process) if to_recorder else process.pid, sig)
            out, _ = process.communicate(timeout=60)
            equal(process.returncode, want, f'status after signal {sig}')
            equal(out, 'INT\n' if sig == signal.SIGINT else '', 'what the command says, once')
            equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')
            check('"command"' in one('x.db', "SELECT text FROM mark JOIN string ON string.id = args_id "
                                             "ORDER BY ts_ns DESC LIMIT 1"), 'why it ended')
            no_leftovers('x.db')


def case_interrupt_twice():
    """A command that does not listen: the second signal leaves it alone."""
    process = begin('-o', 'x.db', '--', 'sh', '-c', 'trap "" INT; echo $$ > pid; echo ready; exec sleep 5')
    process.send_signal(signal.SIGINT)
    time.sleep(1.5)
    check(process.poll() is None, 'it waits for the command')
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    equal(process.returncode, 128 + 2, 'status')
    os.kill(int(Path('pid').read_text(encoding='ascii')), signal.SIGKILL)  # it is still there
    equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')


def case_processes():
    """Running processes by their ids, until they have ended, or a signal."""
    watched = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do cat /etc/hostname; sleep 0.05; done'],
                               stdout=subprocess.DEVNULL)
    other = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do cat /etc/passwd; sleep 0.05; done'],
                             stdout=subprocess.DEVNULL)
    process = start('-o', 'x.db', '-p', str(watched.pid))
    wait_for(lambda: os.path.exists('x.db.spool') and os.stat('x.db.spool').st_size > 2000, 'records')
    time.sleep(0.5)
    Path('stop').touch()
    watched.wait()
    other.wait()
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status')
    check('"gone"' in one('x.db', "SELECT text FROM mark JOIN string ON string.id = args_id "
                                  "ORDER BY ts_ns DESC LIMIT 1"), 'why it ended')
    check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname'") > 5, 'what its children did')
    equal(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/passwd'"), 0, 'what others did')
    endless = subprocess.Popen(['sleep', '60'])
    process = start('-o', 'y.db', '-p', str(endless.pid))
    wait_for(lambda: os.path.exists('y.db.spool') and os.stat('y.db.spool').st_size > 500, 'the begin')
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status after a signal without a command')
    endless.kill()
    endless.wait()


def case_comm():
    shutil.copy('/bin/cat', 'my-cat')
    others = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do ./my-cat /etc/hostname; cat /etc/passwd; sleep 0.05; done'],
                              stdout=subprocess.DEVNULL)
    record('-q', '--comm', 'my-cat', '--duration', '1', '-o', 'x.db')
    Path('stop').touch()
    others.wait()
    check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname'") > 3, 'what it did')
    equal(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/passwd'"), 0, 'what others did')
    check(('cat',) not in query('x.db', 'SELECT name FROM process'), 'other names')


def case_cgroup():
    roots = [line.split()[4] for line in Path('/proc/self/mountinfo').read_text(encoding='utf-8').splitlines()
             if ' - cgroup2 ' in line]
    try:
        group = Path(tempfile.mkdtemp(prefix='tracedb-test-', dir=roots[0]))
    except (IndexError, OSError):
        skip('no control group can be made here')
    inside = None
    try:
        inside = subprocess.Popen(['sh', '-c', f'echo $$ > {group}/cgroup.procs; '
                                   'while [ ! -e stop ]; do cat /etc/hostname; sleep 0.05; done'],
                                  stdout=subprocess.DEVNULL)
        outside = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do cat /etc/passwd; sleep 0.05; done'],
                                   stdout=subprocess.DEVNULL)
        wait_for(lambda: (group / 'cgroup.procs').read_text(encoding='ascii'), 'the process in it')
        record('-q', '--cgroup', group.name, '--duration', '1', '-o', 'x.db')
        Path('stop').touch()
        outside.wait()
        inside.wait()
        check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname'") > 3, 'what is done inside')
        equal(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/passwd'"), 0, 'what is done outside')
        equal(query('x.db', "SELECT DISTINCT cgroup FROM process WHERE name = 'cat'"), [(f'/{group.name}',)], 'its name')
    finally:
        group.rmdir()
    equal(record('--cgroup', '/proc', '-o', 'y.db').returncode, 3, 'status of what is no control group')


# --- limits ---

def case_duration():
    """The database is there while the command goes on, which it does until it is let go."""
    script = 'cat /etc/passwd >/dev/null; while [ ! -e go ]; do sleep 0.1; done; exit 5'
    process = start('-o', 'x.db', '--duration', '1', '--', 'sh', '-c', script)
    wait_for(lambda: os.path.exists('x.db'), 'the database')
    check(process.poll() is None, 'the command goes on')
    Path('go').touch()
    process.communicate(timeout=60)
    equal(process.returncode, 5, 'status')
    check('"duration"' in one('x.db', "SELECT text FROM mark JOIN string ON string.id = args_id "
                                      "ORDER BY ts_ns DESC LIMIT 1"), 'why it ended')
    no_leftovers('go', 'x.db')


def case_delay():
    process = start('-o', 'x.db', '--delay', '1', '--', 'sh', '-c', 'cat /etc/passwd; sleep 2; cat /etc/hostname')
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status')
    equal(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/passwd'"), 0, 'calls before the delay was over')
    check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname'") > 0, 'calls after it')
    check(one('x.db', "SELECT count(*) FROM process WHERE name = 'sh'") == 1, 'who was there already')


BUSY = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'status=none']


def record_busy_until(words, *args):
    """Of a command that makes calls until the recorder has said this, however many it loses meanwhile: its status and all that
    was said. Without the requests by which others' data goes to disk meanwhile, of which the spool may lose some, too."""
    told = Path('..', f'tracedb-told-{os.getpid()}').absolute()    # not on the disk that is full
    try:
        process = start('-e', 'no-block', *args, '--', 'sh', '-c',
                        f'i=0; while [ ! -e {told} ] && [ $i -lt 1000 ]; do i=$((i + 1)); {" ".join(BUSY)} count=20000; done; exit 0')
        said = ''
        for line in process.stderr:
            said += line
            if words in line:
                told.touch()
        process.communicate(timeout=60)
    finally:
        told.unlink(missing_ok=True)
    return process.returncode, said


def case_max_size():
    status, said = record_busy_until('--max-size', '-o', 'x.db', '--no-import', '--max-size', '2MiB')
    equal(status, 0, 'status')
    check('--max-size' in said, said)
    size = os.stat('x.db.spool').st_size
    check(1000000 < size <= 2 * 1024 * 1024, f'size {size}')
    equal(subprocess.run([TRACEDB, 'import', '-q', 'x.db.spool'], check=False).returncode, 0, 'import')
    equal(one('x.db', "SELECT count(*) FROM issue WHERE kind = 'size-limit'"), 1, 'what is noted')
    equal(one('x.db', 'SELECT state FROM source'), 'complete', 'state')
    check_loss('x.db')


def case_overflow():
    """A recorder that gets no CPU for a while loses events, and says how many and when."""
    process = start('-o', 'x.db', '--buffer', '1MiB', '--', 'sh', '-c', f'echo ready; {" ".join(BUSY)} count=1000000')
    process.stdout.readline()
    recorder = recorder_of(process)
    os.kill(recorder, signal.SIGSTOP)
    time.sleep(0.5)
    os.kill(recorder, signal.SIGCONT)
    _, err = process.communicate(timeout=100)
    equal(process.returncode, 0, 'status')
    check(check_loss('x.db') > 10000, 'calls were lost')
    lost = one('x.db', 'SELECT sum(lost) FROM loss')  # of files and processes, too
    check(f'{lost:,} of ' in err and '--buffer' in err, 'what is said')
    equal(one('x.db', 'SELECT lost_events FROM source'), lost, 'loss of the source')
    peaks = query('x.db', 'SELECT max(ring_peak_bytes), ring_size_bytes FROM loss WHERE lost > 0 GROUP BY ring')
    check(any(peak > 0.99 * size for peak, size in peaks), f'fill of the rings {peaks}')
    report = subprocess.run([TRACEDB, 'report', 'osrt_sum', 'x.db'], capture_output=True, text=True, check=True).stdout
    check(f'>= at least, <= at most, ~ either way: events lost: {lost:,} in x.db.spool' in report, f'{report[-200:]!r}')


def niceness(pid):
    return os.getpriority(os.PRIO_PROCESS, pid)


def case_priority():
    """A job on all CPUs does not make the recorder wait; the command has the priority that it would have had."""
    process = start('-q', '-o', 'x.db', '--', 'sh', '-c', 'ps -o ni= -p $$ >nice; touch ready; while [ ! -e stop ]; do sleep 0.05; done')
    wait_for(lambda: os.path.exists('ready'), 'the command')
    equal(int(Path('nice').read_text(encoding='ascii')), niceness(0), 'of the command')
    equal(niceness(recorder_of(process)), -15, 'of the recorder')
    Path('stop').touch()
    process.communicate(timeout=100)
    equal(process.returncode, 0, 'status')
    no_leftovers('nice', 'ready', 'stop', 'x.db')


def in_small_tmpfs(size):
    """Becomes a process in a mount namespace of its own, in a folder of that size."""
    libc = __import__('ctypes').CDLL(None, use_errno=True)
    if libc.unshare(0x00020000) != 0:  # CLONE_NEWNS
        skip('no mount namespace can be made here')
    os.mkdir('small')
    for command in (['mount', '--make-rprivate', '/'], ['mount', '-t', 'tmpfs', '-o', f'size={size}', 'tmpfs', 'small']):
        if subprocess.run(command, check=False).returncode:
            skip('nothing can be mounted here: / is no mount point, as in a chroot, or somebody forbids it')
    os.chdir('small')


def case_full_disk():
    """The recording ends, the command does not; what was recorded, and how it ended, can be imported."""
    in_small_tmpfs('2m')
    status, said = record_busy_until('No space left on device', '-o', 'x.db')
    equal(status, 3, 'status')
    check('No space left on device' in said, said)
    check("'x.db.spool' is kept" in said, said)
    no_leftovers('x.db.spool')
    db = '../x.db'
    equal(subprocess.run([TRACEDB, 'import', '-q', '-o', db, 'x.db.spool'], check=False).returncode, 0, 'import')
    equal(one(db, "SELECT count(*) FROM issue WHERE kind = 'recording-failed'"), 1, 'what is noted')
    equal(one(db, 'SELECT state FROM source'), 'complete', 'state')
    check(one(db, 'SELECT count(*) FROM call') > 10000, 'calls')
    check(check_loss(db) > 0, 'something was lost')


# --- kill -9 ---

COUNTER = '''
import os
fd = os.open('counter', os.O_WRONLY | os.O_CREAT)
print('ready', flush=True)
n = 0
while not os.path.exists('stop'):
    n += 1
    os.pwrite(fd, b'%020d' % n, n)
'''


def counter():
    # the n-th write goes to offset n, so the size tells how many were made; the content may be half written
    return os.stat('counter').st_size - 20


def case_killed():
    """At any time: all but the last instants are there, also without tracedb itself."""
    for both in (False, True):
        process = begin('--force', '-o', 'x.db', '--', sys.executable, '-c', COUNTER)
        recorder = recorder_of(process)
        time.sleep(1 + random.random())
        before = counter()
        time.sleep(0.5)
        if both:
            process.kill()
        ends = os.pidfd_open(recorder)
        os.kill(recorder, signal.SIGKILL)
        check(select.select([ends], [], [], 60)[0], 'the end of the recorder, with which it lets go of the spool')
        os.close(ends)
        process.wait(timeout=60)
        after = counter()
        wait_for(lambda: counter() > after, 'the command, which goes on')
        if both:
            no_leftovers('counter', 'x.db.spool')
            imported = subprocess.run([TRACEDB, 'import', '--force', 'x.db.spool'], capture_output=True, text=True,
                                      check=False)
            equal(imported.returncode, 4, 'status of the import')
            check('the recorder was killed' in imported.stderr or 'truncated' in imported.stderr, imported.stderr)
        else:
            equal(process.returncode, 128 + 9, 'status')
            no_leftovers('counter', 'x.db')
        Path('stop').touch()
        check(both or 'killed by signal 9' in process.communicate(timeout=60)[1], 'message')
        equal(one('x.db', 'SELECT state FROM source'), 'cut', 'state')
        written = one('x.db', "SELECT max(offset_bytes) FROM calls WHERE op = 'pwrite64'")
        check(written >= before, f'the {written}th write is the last one, but {before} had been made half a second earlier')
        # none is missing before that
        equal(one('x.db', "SELECT count(*) FROM calls WHERE op = 'pwrite64'"), written, 'writes')
        time.sleep(0.5)
        for name in os.listdir('.'):
            os.unlink(name)


def case_synced():
    """About once a second what was recorded is on the disk, whatever becomes of the machine."""
    strace = shutil.which('strace')
    recorder = Path(TRACEDB).parent.parent / 'collector' / 'tracedb-record'
    if not strace:
        skip('there is no strace')
    subprocess.run([strace, '-f', '-o', 'strace.out', '-e', 'trace=fdatasync,pwrite64', str(recorder), '-q', '-o', 'x.db',
                    '--', 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 10; do cat /etc/hostname; sleep 0.3; done'],
                   check=True, stdout=subprocess.DEVNULL, timeout=60, env=environment(ASAN_OPTIONS='detect_leaks=0'))
    calls = Path('strace.out').read_text(encoding='utf-8')
    syncs, writes = calls.count('fdatasync('), calls.count('pwrite64(')
    check(3 <= syncs <= 6, f'{syncs} times in 3 seconds')
    check(writes >= 10, f'{writes} frames')


# --- users ---

def case_sudo():
    """The command and the files are those of who called sudo, in their own folder and in one of root's."""
    caller = environment(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY))
    os.chmod('.', 0o755)
    done = record('-o', 'x.db', '--', 'sh', '-c', 'id -u; id -g; id -G; echo $HOME $USER', env=caller)
    equal(done.returncode, 0, done.stderr)
    lines = done.stdout.split('\n')
    equal(lines[:2], [str(NOBODY)] * 2, 'who the command is')
    check('0' not in lines[2].split(), 'groups of the command')
    check(lines[3].endswith('nobody') and not lines[3].startswith('/root'), f'environment {lines[3]!r}')
    check('runs as root' not in done.stderr, 'no warning')
    equal(owner('x.db'), (NOBODY, NOBODY, 0o600), 'owner in a folder of root')
    writable_folder(NOBODY)
    record('-q', '--no-import', '-o', 'x.db', '--', 'true', env=caller)
    equal(owner('x.db.spool'), (NOBODY, NOBODY, 0o600), 'owner of the spool')
    os.unlink('x.db.spool')
    record('-q', '-o', 'x.db', '--', 'true', env=caller)
    equal(owner('x.db'), (NOBODY, NOBODY, 0o600), 'owner in their folder')
    no_leftovers('x.db')


def case_user():
    os.chmod('.', 0o755)
    done = record('--user', 'nobody', '-o', 'x.db', '--', 'id', '-un')
    equal(done.stdout, 'nobody\n', 'who the command is')
    equal(owner('x.db'), (0, 0, 0o600), 'owner: who asked for it')
    done = record('--force', '-o', 'x.db', '--', 'id', '-un')
    equal(done.stdout, 'root\n', 'who the command is')
    check('runs as root' in done.stderr, 'a warning')
    # a signal can be passed on although they are different users
    process = begin('--force', '--user', 'nobody', '-o', 'x.db', '--', 'sh', '-c', TRAP)
    os.kill(recorder_of(process), signal.SIGTERM)
    process.communicate(timeout=60)
    equal(process.returncode, 8, 'status after a signal')


def status_of(pid):
    text = Path(f'/proc/{pid}/status').read_text(encoding='utf-8')
    return dict(line.split(':\t', 1) for line in text.splitlines() if ':\t' in line)


def case_privileges():
    """While it records, no thread of the recorder has a privilege."""
    caller = environment(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY))
    os.chmod('.', 0o755)
    for env, uid in ((caller, NOBODY), (environment(), 0)):
        process = subprocess.Popen([TRACEDB, 'record', '--force', '-q', '--cpu', '-o', 'x.db', '--', 'sh', '-c', TRAP], env=env,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        recorder = recorder_of(process)
        wait_for(lambda: len(os.listdir(f'/proc/{recorder}/task')) >= 2, 'the thread that writes')
        tasks = os.listdir(f'/proc/{recorder}/task')
        for tid in tasks:
            status = status_of(tid)
            equal(status['Uid'].split(), [str(uid)] * 4, 'user')
            equal((int(status['CapEff'], 16), int(status['CapPrm'], 16)), (0, 0), 'capabilities')
        equal(status_of(recorder)['NoNewPrivs'], '1', 'new privileges')
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        equal(process.returncode, 8, 'status')
        equal(one('x.db', 'SELECT state FROM source'), 'complete', 'all was done without')


def with_capabilities():
    """Copies the programs to where anybody may record with them. Gives their folder, and goes to one of nobody's."""
    setcap = shutil.which('setcap', path='/usr/sbin:/sbin:/usr/bin')
    if not setcap:
        skip('there is no setcap')
    recorder = Path(TRACEDB).parent.parent / 'collector' / 'tracedb-record'
    for program in (TRACEDB, recorder):
        shutil.copy(program, '.')
    if subprocess.run([setcap, 'cap_bpf,cap_perfmon=ep', 'tracedb-record'], check=False).returncode:
        skip('this file system has no capabilities')
    programs = os.getcwd()
    writable_folder(NOBODY)
    return programs


def start_as_nobody(programs, *args):
    return subprocess.Popen([f'{programs}/tracedb', 'record', *args], user=NOBODY, group=NOBODY, extra_groups=[],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def case_capabilities_race():
    """A number that is nobody's when the recorder starts, and that of a root's process when it is to be followed."""
    last_pid = Path('/proc/sys/kernel/ns_last_pid')
    if not last_pid.exists():
        skip('this kernel does not let the next number be chosen')
    programs = with_capabilities()
    number = 31000 + random.randrange(1000)
    process = start_as_nobody(programs, '-o', 'x.db', '-p', str(number), '--duration', '2')
    wait_for(lambda: os.path.exists('x.db.spool') or process.poll() is not None, 'the begin')
    for _ in range(100):
        last_pid.write_text(str(number - 1), encoding='ascii')
        victim = subprocess.Popen(['sh', '-c', 'while :; do cat /etc/hostname; sleep 0.1; done'], stdout=subprocess.DEVNULL)
        if victim.pid == number:
            break
        victim.kill()
        victim.wait()
    equal(victim.pid, number, 'the number')
    _, err = process.communicate(timeout=60)
    victim.kill()
    victim.wait()
    check(process.returncode == 3 and "another user's" in err, f'{process.returncode}: {err}')
    no_leftovers()


def case_capabilities_of_files():
    """A program that has capabilities by its file has more than the user, and so has what it starts."""
    programs = with_capabilities()
    shutil.copy(shutil.which('cat'), f'{programs}/cat')
    subprocess.run(['/usr/sbin/setcap', 'cap_net_raw=ep', f'{programs}/cat'], check=True)
    process = start_as_nobody(programs, '-q', '-o', 'x.db', '--', 'sh', '-c', f'{programs}/cat /etc/hosts; cat /etc/shells')
    out, err = process.communicate(timeout=60)
    equal(process.returncode, 0, err)
    check(out, 'it ran')
    for path, n in (('hosts', 0), ('shells', 1)):
        equal(one('x.db', f"SELECT count(*) FROM calls WHERE file = '/etc/{path}' AND op = 'openat'"), n, path)


def case_capabilities():
    """A user without sudo, by the capabilities of the file: their own processes, nobody else's."""
    programs = with_capabilities()

    def as_nobody(*args):
        process = start_as_nobody(programs, *args)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    done = as_nobody('-o', 'x.db', '--', 'sh', '-c', 'id -u; grep CapEff /proc/self/status; cat /etc/hostname >/dev/null')
    equal(done.returncode, 0, done.stderr)
    equal(done.stdout.split(), [str(NOBODY), 'CapEff:', '0' * 16], 'who the command is')
    equal(owner('x.db'), (NOBODY, NOBODY, 0o600), 'owner')
    check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname' AND op = 'read'") > 0, 'reads')
    check_loss('x.db')
    # what runs with the rights of another user is recorded until it has them, and not what it starts either
    cat, theirs = f'{programs}/cat', f'{programs}/sh'
    for name, program in ((cat, 'cat'), (theirs, 'bash')):
        shutil.copy(shutil.which(program), name)
        os.chmod(name, 0o4755)
    script = f'{cat} /etc/hostname; {theirs} -p -c "cat /etc/hosts; exec cat /etc/passwd"; cat /etc/shells'
    done = as_nobody('--force', '-o', 'x.db', '--', 'sh', '-c', script)
    equal(done.returncode, 0, done.stderr)
    check('root' in done.stdout, 'the command did all that')
    for path, n in (('hostname', 0), ('hosts', 0), ('passwd', 0), ('shells', 1)):
        equal(one('x.db', f"SELECT count(*) FROM calls WHERE file = '/etc/{path}' AND op = 'openat'"), n, path)
    equal(one('x.db', "SELECT count(*) FROM call JOIN op ON op.id = op_id WHERE name = 'execve' AND unfinished"), 2,
          'calls that they came from')
    check_loss('x.db')
    for args, words in ((['-a', '--all-users'], '--all-users is for root'), (['-p', str(os.getpid())], "another user's"),
                        (['--user', 'root', 'true'], '--user is for root')):
        done = as_nobody('-o', 'y.db', *args)
        equal(done.returncode, 3, f'status of {args}')
        check(words in done.stderr, done.stderr)


def case_others():
    """-a takes the processes of the user, not those of others, unless asked for."""
    code = 'import os, time\nwhile not os.path.exists("/proc/self/none"):\n open(os.devnull).close(); time.sleep(0.05)'
    caller = environment(SUDO_UID=str(NOBODY), SUDO_GID=str(NOBODY))
    os.chmod('.', 0o755)
    theirs = subprocess.Popen(['sleep', 'infinity'], user=NOBODY)
    mine = subprocess.Popen([sys.executable, '-c', code])
    their_loop = subprocess.Popen(['sh', '-c', 'while :; do cat /etc/hostname; sleep 0.05; done'], user=NOBODY,
                                  stdout=subprocess.DEVNULL)
    try:
        record('-q', '-a', '--duration', '1', '-o', 'x.db', env=caller)
        # other cases run beside this one, some of them set-user-id programs: only our own processes count
        equal(one('x.db', f'SELECT count(*) FROM process WHERE coalesce(namespace_pid, pid) = {mine.pid}'), 0, 'our process')
        equal(one('x.db', f'SELECT user FROM process WHERE coalesce(namespace_pid, pid) = {their_loop.pid}'), 'nobody', 'their user')
        check(one('x.db', "SELECT count(*) FROM calls WHERE file = '/etc/hostname'") > 0, 'their calls')
        record('-q', '-a', '--all-users', '--duration', '1', '-o', 'y.db', env=caller)
        users = {row[0] for row in query('y.db', 'SELECT DISTINCT user FROM process')}
        check({'nobody', 'root'} <= users, f'users {users}')
    finally:
        for process in (theirs, mine, their_loop):
            process.kill()
            process.wait()


# --- flight recorder ---

def case_flight_recorder():
    command = 'exec 3<early; cat early; sleep 2.5; exec 4<late; cat late; read x <&3; exit 6'
    Path('early').write_text('e\n', encoding='ascii')
    Path('late').write_text('l\n', encoding='ascii')
    done = record('-o', 'x.db', '--flight-recorder', '1', '--', 'sh', '-c', command)
    equal(done.returncode, 6, 'status')
    here = os.getcwd()
    calls = query('x.db', "SELECT file, op FROM calls WHERE file LIKE ? ORDER BY start_ns", f'{here}/%')
    files = [path[len(here) + 1:] for path, _ in calls]
    check('late' in files, 'what happened in the last second')
    check('early' in files, 'a file that was opened long before is named')
    check(('openat' not in [op for path, op in calls if path.endswith('early')]), 'its open is not there any more')
    equal(one('x.db', "SELECT count(*) FROM process WHERE name = 'sh' AND exit_status = 6"), 1, 'the process')
    no_leftovers('early', 'late', 'x.db')


def case_trigger():
    """Parts of what a flight recorder holds, when it is asked for, by a signal that is not the command's or by name."""
    Path('early').touch()
    script = 'trap "echo USR1" USR1; trap "echo USR2" USR2; cat early; echo ready; while [ ! -e stop ]; do sleep 0.05; done; exit 4'
    process = begin('--flight-recorder', '60', '--trigger', 'USR2', '-o', 'run.db', '--', 'sh', '-c', script)
    process.send_signal(signal.SIGUSR2)
    wait_for(lambda: os.path.exists('run-1.db') and not os.path.exists('run-1.db.spool'), 'the first part')
    process.send_signal(signal.SIGUSR1)
    equal(process.stdout.readline(), 'USR1\n', 'what the command gets')
    Path('run-2.db').touch()  # somebody else's
    equal(subprocess.run([TRACEDB, 'trigger'], check=False).returncode, 0, 'status of tracedb trigger')
    wait_for(lambda: os.path.exists('run-3.db') and not os.path.exists('run-3.db.spool'), 'the second part')
    equal(os.stat('run-2.db').st_size, 0, 'what is not ours')
    Path('stop').touch()
    out, err = process.communicate(timeout=60)
    equal((process.returncode, out), (4, ''), err)
    calls = 0
    for db, why in (('run-1.db', 'trigger'), ('run-3.db', 'trigger'), ('run.db', 'command')):
        equal(one(db, 'SELECT state FROM source'), 'complete', f'state of {db}')
        check(f'"{why}"' in one(db, "SELECT text FROM mark JOIN string ON string.id = args_id ORDER BY ts_ns DESC LIMIT 1"),
              f'why {db} ended')
        equal(one(db, "SELECT count(*) FROM calls WHERE verb = 'open' AND file = ?", f'{os.getcwd()}/early'), 1, f'opens in {db}')
        n = one(db, 'SELECT count(*) FROM call')
        check(n > calls, f'{n} calls in {db}, {calls} in the one before')
        calls = n
        equal(owner(db), (0, 0, 0o600), f'owner of {db}')
    no_leftovers('early', 'run-1.db', 'run-2.db', 'run-3.db', 'run.db', 'stop')
    done = subprocess.run([TRACEDB, 'trigger', 'none.db'], check=False, capture_output=True, text=True)
    check(done.returncode == 3 and 'no flight recorder' in done.stderr, done.stderr)
    equal(record('--trigger', 'USR2', 'true').returncode, 2, 'status without a flight recorder')
    equal(record('--trigger', 'KILL', '--flight-recorder', '1', 'true').returncode, 2, 'status of a signal that cannot be caught')


sys.exit(run_case(globals()))
