#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record' where processes have other numbers and paths than elsewhere: namespaces as containers have them.

    surroundings.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    surroundings.py --list CASE...      (are these all there are?)
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from recording import (TRACEDB, check, check_loss, children_of, environment, equal, no_leftovers, one, query, record, recorder_of, run_case, skip,
                       start, wait_for)

# --- pid namespaces ---

# /proc alone becomes private: in a chroot, / is no mount point that could
INSIDE = ['unshare', '--pid', '--fork', '--propagation', 'unchanged', '--mount-proc']


def need_namespace():
    if not shutil.which('unshare') or subprocess.run([*INSIDE, 'true'], check=False).returncode:
        skip('no pid namespace can be made here')


def inside(script):
    """A shell as process 1 of a pid namespace."""
    need_namespace()
    return subprocess.run([*INSIDE, 'sh', '-c', script], env=environment(T=TRACEDB), text=True, capture_output=True,
                          check=False, timeout=120)


def opens(db, path):
    return one(db, "SELECT count(*) FROM calls WHERE verb = 'open' AND file = ?", path)


def case_namespace_command():
    """The command is followed, and not who has its number outside."""
    need_namespace()
    outside = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do cat /etc/passwd; sleep 0.01; done'],
                               stdout=subprocess.DEVNULL)
    done = inside('$T record -o x.db -- sh -c "cat /etc/hostname"')
    Path('stop').touch()
    outside.wait()
    equal(done.returncode, 0, done.stderr)
    equal(opens('x.db', '/etc/hostname'), 1, 'what the command did')
    equal(opens('x.db', '/etc/passwd'), 0, 'what another process did')
    equal(check_loss('x.db'), 0, 'lost')
    # the kernel's own threads, which may write back something meanwhile, have no command line
    names = query('x.db', 'SELECT name, pid_namespace, namespace_pid, pid != namespace_pid FROM process '
                          'WHERE command_line NOTNULL ORDER BY start_ns')
    equal([row[0] for row in names], ['sh', 'cat'], 'processes')
    check(all(1 < row[2] < 100 and row[3] for row in names), f'numbers inside and outside: {names}')
    equal(len({row[1] for row in names}), 1, 'namespaces')
    no_leftovers('stop', 'x.db')


def own_cgroup():
    """Of version 2; None: there is none."""
    groups = re.findall('^0::(.*)', Path('/proc/self/cgroup').read_text(encoding='ascii'), re.MULTILINE)
    return groups[0] if groups else None


def case_namespace_numbers():
    """-p takes the numbers that are seen inside, whoever has them outside."""
    loop = 'while [ ! -e stop ]; do cat {}; sleep 0.02; done'
    # process 2 of the namespace; outside that is a thread of the kernel, as a rule
    done = inside(f'sh -c "{loop.format("/etc/hostname")}" >/dev/null & sh -c "{loop.format("/etc/passwd")}" >/dev/null & '
                  'echo $!; $T record -q --duration 1 -o x.db -p 2; $T record -q --duration 1 -o y.db -p $!; touch stop; wait')
    equal(done.stderr, '', 'messages')
    other = int(done.stdout)
    for db, number, mine, not_mine in (('x.db', 2, 'hostname', 'passwd'), ('y.db', other, 'passwd', 'hostname')):
        check(opens(db, f'/etc/{mine}') > 3, f'what process {number} did')
        equal(opens(db, f'/etc/{not_mine}'), 0, f'what others than {number} did')
        # what /proc tells of it, which has it by its number inside; a child that is not cat yet when the recording ends is a 'sh', too
        equal(query(db, f"SELECT command_line, cgroup FROM process WHERE name = 'sh' AND namespace_pid = {number}"),
              [(f'sh -c {loop.format("/etc/" + mine)}', own_cgroup())], 'command line and group of its number inside')
    equal(inside('$T record -o z.db -p 4000000').returncode, 3, 'status when there is no such process')


def case_namespace_number_again():
    """Who gets the number of a process that was followed, and has ended before the recording began, is somebody else."""
    if not os.path.exists('/proc/sys/kernel/ns_last_pid'):
        skip('this kernel does not let the next number be chosen')
    done = inside('sleep 60 & sleep 60 & '  # 2 and 3
                  '$T record --delay 2 --duration 1 -o x.db -p 2 -p 3 2>said & recorder=$!; '
                  'while ! grep -q recording said; do sleep 0.1; done; kill 3; wait 3; '
                  'echo 2 > /proc/sys/kernel/ns_last_pid; while [ ! -e stop ]; do cat /etc/passwd; sleep 0.1; done > /dev/null & '
                  'echo $!; wait $recorder; touch stop; kill 2')
    equal(done.stdout, '3\n', 'the number again')
    equal(opens('x.db', '/etc/passwd'), 0, 'what the other one did')
    equal(query('x.db', "SELECT namespace_pid FROM process WHERE name = 'sleep'"), [(2,)], 'who is recorded')


def case_namespace_all():
    """-a takes who is seen inside, but not the recorder."""
    need_namespace()
    outside = subprocess.Popen(['sh', '-c', 'while [ ! -e stop ]; do cat /etc/passwd; sleep 0.02; done'],
                               stdout=subprocess.DEVNULL)
    done = inside('sh -c "while [ ! -e stop ]; do cat /etc/hostname; sleep 0.02; done" >/dev/null & '
                  '$T record -q -a --duration 1 -o x.db; touch stop; wait')
    outside.wait()
    equal(done.stderr, '', 'messages')
    check(opens('x.db', '/etc/hostname') > 3, 'who is inside')
    equal(opens('x.db', '/etc/passwd'), 0, 'who is outside')
    equal(one('x.db', "SELECT count(*) FROM process WHERE name = 'tracedb-record'"), 0, 'the recorder')


def process_of(command_line):
    """The number of the process that executes this; 0: none yet."""
    wanted = '\0'.join(command_line) + '\0'
    for path in Path('/proc').glob('[0-9]*/cmdline'):
        try:
            if path.read_text(encoding='utf-8') == wanted:
                return int(path.parent.name)
        except OSError:
            pass    # it has ended meanwhile
    return 0


def case_namespace_sender():
    """Of who sends a signal from outside nothing is told, but that it came from there."""
    need_namespace()
    sleep = ['sleep', f'600.{os.getpid()}']

    def kill_from_outside():
        if wait_for(lambda: process_of(sleep), 'sleep'):
            os.kill(process_of(sleep), signal.SIGKILL)

    killer = threading.Thread(target=kill_from_outside)
    killer.start()
    done = inside(f'$T record -q -o x.db -- {" ".join(sleep)}')
    killer.join()
    equal(done.returncode, 128 + 9, done.stderr)
    equal([json.loads(args) for args, in query('x.db', "SELECT args.text FROM mark JOIN string AS name ON name.id = name_id "
                                                       "JOIN string AS args ON args.id = args_id WHERE name.text = 'signal'")],
          [{'signal': 'SIGKILL', 'from': 'another pid namespace'}], 'signals')


def case_thread():
    """The number of a thread is not taken for that of a process, and it is said whose it is."""
    code = 'import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); print("ready", flush=True)'
    with subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        thread = max(int(tid) for tid in os.listdir(f'/proc/{process.pid}/task'))
        done = record('-p', str(thread), '-o', 'x.db')
        process.kill()
    equal(done.returncode, 3, 'status')
    check(f'{thread} is a thread of process {process.pid}: -p {process.pid}' in done.stderr, done.stderr)
    no_leftovers()


# --- root directories ---

PRIVATE = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec']


def in_private_mounts(script):
    """Run where mounts are gone afterwards."""
    if subprocess.run([*PRIVATE, 'mkdir mounted && mount --rbind / mounted'], check=False, capture_output=True).returncode:
        skip('nothing can be mounted here')
    return subprocess.run([*PRIVATE, script], env=environment(T=TRACEDB), text=True, capture_output=True, check=False, timeout=120)


def own_root():
    """The root directory of this process, as seen from the '/' of its mount namespace, and the same as the recording has it."""
    done = subprocess.run(['nsenter', '--mount=/proc/self/ns/mnt', 'readlink', f'/proc/{os.getpid()}/root'], text=True,
                          capture_output=True, check=False)
    root = done.stdout.strip()
    if not root.startswith('/'):
        skip(f'where the own root is cannot be seen: {done.stderr}')
    return ('', None) if root == '/' else (root, root)


def small_root(folder):
    """A folder in which 'cat' can run, and nothing else."""
    cat = shutil.which('cat', path='/bin:/usr/bin')
    libraries = re.findall(r'(/\S+)', subprocess.run(['ldd', cat], text=True, capture_output=True, check=True).stdout)
    for file in [cat, *libraries, '/etc/hostname']:
        os.makedirs(folder + os.path.dirname(file), exist_ok=True)
        shutil.copy(file, folder + file)
    os.mkdir(folder + '/old')
    return cat


def roots_of(db, path):
    """The roots in which a file of that path was read, and the bytes."""
    return query(db, 'SELECT root, sum(done_bytes) FROM call JOIN op ON op.id = op_id JOIN file ON file.id = file_id '
                     "WHERE path = ? AND verb = 'read' GROUP BY 1 ORDER BY 1", path)


def strace_opens(out):
    """The paths of what was opened, as 'strace -y' has them in its own root."""
    text = Path(out).read_text(encoding='utf-8')
    return re.findall(r'^\d+ +openat\(.*\) = \d+<([^>]*)>$', text, re.M)


def opens_in_root(db, root):
    return [row[0] for row in query(db, 'SELECT path FROM call JOIN op ON op.id = op_id JOIN file ON file.id = file_id '
                                        "WHERE op.name = 'openat' AND ret >= 0 AND root = ? ORDER BY start_ns", root)]


def case_chroot():
    """Paths are those that the process sees, beside the root that it sees; of a recorder outside and of one inside."""
    here, size = os.getcwd(), os.path.getsize('/etc/hostname')
    above, usual = own_root()
    root = f'{above}{here}/mounted'
    done = in_private_mounts(f'mount --rbind / {here}/mounted; $T record -q -o outside.db -- chroot mounted /bin/cat /etc/hostname; '
                             f'cd {here}; chroot mounted sh -c "cd {here}; $T record -q -o inside.db -- /bin/cat /etc/hostname"; '
                             f'chroot mounted strace -f -y -e trace=openat -o {here}/strace.out /bin/cat /etc/hostname')
    equal(done.returncode, 0, done.stderr)
    for db in ('outside.db', 'inside.db'):
        equal(roots_of(db, '/etc/hostname'), [(root, size)], f'roots in {db}')
        equal(opens_in_root(db, root), strace_opens('strace.out'), f'what cat opened by {db}')
        equal(one(db, "SELECT count(*) FROM file WHERE path GLOB ? || '/*'", f'{here}/mounted'), 0, f'paths of outside in {db}')
    # who has called chroot() was outside before
    roots = query('outside.db', "SELECT DISTINCT root FROM file WHERE path = '/etc/ld.so.cache' ORDER BY 1")
    equal(roots, [(usual,), (root,)], 'roots of two programs')
    equal(query('outside.db', "SELECT path, root FROM call JOIN op ON op.id = op_id JOIN file ON file.id = file_id "
                              "WHERE op.name = 'chroot' AND ret = 0"), [(f'{here}/mounted', usual)], 'the call itself')


def case_chroot_errors():
    """What was not there was not there below the root."""
    cat, root = small_root('small'), f'{own_root()[0]}{os.getcwd()}/small'
    os.makedirs('small/work')
    done = record('-q', '-o', 'x.db', '--', 'chroot', 'small', cat, '/etc/none', 'none', '../etc/hostname')
    equal(done.returncode, 1, 'status')
    rows = query('x.db', "SELECT path, root, ret FROM call JOIN op ON op.id = op_id JOIN file ON file.id = file_id "
                         "WHERE op.name = 'openat' AND (path GLOB '*none' OR path GLOB '*hostname') ORDER BY start_ns")
    equal([(path, root, ret < 0) for path, root, ret in rows],
          [('/etc/none', root, True), ('/none', root, True), ('/etc/hostname', root, False)], 'opened')


def case_container_root():
    """A root that is the whole of a mount namespace of its own has that for a name: its path is '/', as outside."""
    cat, size = small_root('small'), os.path.getsize('/etc/hostname')
    if own_root()[0]:
        skip('in a root of its own, pivot_root does not change the / of the mount namespace')
    Path('in.sh').write_text('readlink /proc/self/ns/mnt; mount --bind small small; cd small; pivot_root . old; '
                             f'exec {cat} /etc/hostname\n', encoding='ascii')
    done = in_private_mounts('$T record -q -o x.db -- unshare --mount --propagation private sh -e in.sh; cat /etc/hostname')
    equal(done.returncode, 0, done.stderr)
    namespace = done.stdout.splitlines()[0]
    equal(roots_of('x.db', '/etc/hostname'), [(namespace, size)], 'roots')
    # a namespace of its own alone is no other root
    equal(query('x.db', "SELECT DISTINCT root FROM file WHERE path GLOB '*/in.sh'"), [(None,)], 'roots of the script')


# --- time namespaces ---

def case_time_namespace():
    """The boot clock of the recorder is another one than that of the kernel's side."""
    shifted = ['unshare', '--time', '--boottime', '100000', '--fork']
    if subprocess.run([*shifted, 'true'], check=False).returncode:
        skip('no time namespace can be made here')
    begin_ns = time.time_ns()
    done = subprocess.run([*shifted, TRACEDB, 'record', '-q', '--cpu', '-e', 'no-block', '-o', 'x.db', '--', 'sleep', '0.5'],
                          check=False, env=environment(), timeout=60)
    end_ns = time.time_ns()
    equal(done.returncode, 0, 'status')
    for table, column in (('call', 'start_ns'), ('process', 'start_ns'), ('mark', 'ts_ns'), ('sample', 'ts_ns')):
        first, last = query('x.db', f'SELECT min({column}), max({column}) FROM {table}')[0]
        check(begin_ns <= first <= last <= end_ns, f'times in {table}: {first} to {last}, {begin_ns} to {end_ns} by the clock')


# --- what outlives the command ---

# the first one goes on until it is told to end, however long the recorder takes for its own end
UNTIL_TOLD = 'while [ ! -e told ]; do sleep 0.1; done; touch over'
DAEMON = 'for i in 1 2 3 4 5 6 7 8; do cat late > /dev/null; sleep 0.1; done; touch over'


def leaves(daemon):
    return ['sh', '-c', f'setsid sh -c "{daemon}" </dev/null >/dev/null 2>&1 & exit 3']


def case_daemons():
    """What goes on after the command is recorded if that is asked for, and said if not."""
    Path('late').touch()
    done = record('-o', 'x.db', '--', *leaves(UNTIL_TOLD))
    equal(done.returncode, 3, 'status')
    check('--follow-daemons' in done.stderr, done.stderr)
    check(not os.path.exists('over'), 'it does not wait')
    Path('told').touch()
    wait_for(lambda: os.path.exists('over'), 'the end of the daemon')
    os.unlink('over')
    done = record('--force', '--follow-daemons', '-o', 'x.db', '--', *leaves(DAEMON))
    equal(done.returncode, 3, 'status with --follow-daemons')
    check(os.path.exists('over'), 'it waits')
    equal(opens('x.db', f'{os.getcwd()}/late'), 8, 'what the daemon did')
    done = record('-o', 'y.db', '--', 'true')
    check('--follow-daemons' not in done.stderr, done.stderr)
    # a signal ends the waiting
    process = start('-o', 'y.db', '--force', '--follow-daemons', '--', 'sh', '-c', 'sleep 60 >/dev/null 2>&1 & echo $!')
    sleep = int(process.stdout.readline())
    wait_for(lambda: not children_of(recorder_of(process)), 'the end of the command')
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    equal(process.returncode, 0, 'status after a signal')
    os.kill(sleep, signal.SIGKILL)


sys.exit(run_case(globals()))
