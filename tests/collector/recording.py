# SPDX-License-Identifier: MIT
"""What the tests of 'tracedb record' from the outside share: running it, waiting, asking the database, and a main() for a
file of cases."""
import faulthandler
import fcntl
import os
import pty
import select
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

NOBODY = 65534
SKIP = 77
TRACEDB = os.path.abspath(sys.argv[1])
CALL_SETS = ('file_io', 'memory', 'thread', 'sync', 'wait', 'socket_io', 'io_uring')
failures = []
# Who runs the tests may ignore signals, as a shell does for what it starts in the background, and programs inherit that.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f'failed: {what}')


def equal(got, want, what):
    check(got == want, f'{what}: {got!r}, expected {want!r}')


def skip(why):
    print(why)
    sys.exit(SKIP)


def environment(**more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(('SUDO_', 'PKEXEC_'))}
    return env | more


def record(*args, env=None, **more):
    """Runs it to the end."""
    return subprocess.run([TRACEDB, 'record', *args], env=env or environment(), text=True, capture_output=True,
                          check=False, timeout=120, **more)


def start(*args, **more):
    return subprocess.Popen([TRACEDB, 'record', *args], env=environment(), text=True, stderr=subprocess.PIPE,
                            stdout=subprocess.PIPE, **more)


def on_terminal(command, size, feed=None, env=None):
    """Runs it with a controlling terminal; gives what was on it. feed(terminal, text so far) is called with what comes."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('4H', *size, 0, 0))
        os.execvpe(command[0], command, env or environment())
    text = b''
    deadline = time.monotonic() + 30
    while True:
        if time.monotonic() > deadline:
            check(False, f'it does not end: {text[:500]}')
            os.kill(pid, signal.SIGKILL)
            break
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        text += chunk
        if feed:
            feed(terminal, text)
    os.close(terminal)
    return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def wait_for(condition, what):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    check(False, f'waited for {what} in vain')
    return False


def children_of(pid):
    """Of the first thread, those that were not waited for, too."""
    return [int(child) for child in Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='ascii').split()]


def recorder_of(process):
    """The pid of tracedb-record below tracedb."""
    children = children_of(process.pid)
    return children[0] if children else None


def query(db, sql, *args):
    with sqlite3.connect(f'file:{db}?mode=ro', uri=True) as con:
        return con.execute(sql, args).fetchall()


def one(db, sql, *args):
    return query(db, sql, *args)[0][0]


def no_leftovers(*names):
    equal(sorted(os.listdir('.')), sorted(names), 'files left')


def check_loss(db):
    """Every call that the kernel's side made is in the table or counted as lost, once."""
    sets = ','.join(f"'{name}'" for name in CALL_SETS)
    generated = one(db, f'SELECT coalesce(sum(generated), 0) FROM loss WHERE name IN ({sets})')
    lost = one(db, f"SELECT coalesce(sum(lost), 0) FROM loss WHERE name IN ({sets}, 'spool')")
    stored = one(db, 'SELECT count(*) FROM call')
    equal(stored + lost, generated, f'{stored} stored and {lost} lost of what was generated')
    return lost


def writable_folder(uid):
    os.chmod('.', 0o755)
    os.mkdir('theirs')
    os.chown('theirs', uid, uid)
    os.chdir('theirs')


def owner(path):
    st = os.stat(path)
    return st.st_uid, st.st_gid, stat.S_IMODE(st.st_mode)


def run_case(functions):
    """functions: a file's globals(); case_NAME() among them are its cases. Gives the status to exit with."""
    cases = {name[5:].replace('_', '-'): function for name, function in sorted(functions.items())
             if name.startswith('case_')}
    if sys.argv[1] == '--list':
        unknown = set(cases) ^ set(sys.argv[2:])
        print('\n'.join(f'{name}: in only one of this and meson.build' for name in unknown))
        return 1 if unknown else 0
    if os.geteuid() != 0:
        skip('recording needs root')
    if not os.path.exists('/sys/kernel/btf/vmlinux'):
        skip('this kernel has no BTF')
    # a case that hangs is ended by SIGTERM, and says where it was
    faulthandler.register(signal.SIGTERM, chain=True)
    folder = tempfile.mkdtemp(prefix='tracedb-record-')
    os.chdir(folder)
    try:
        cases[sys.argv[2]]()
    finally:
        os.chdir('/')
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0
