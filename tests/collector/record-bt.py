#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb record --bt': bpftrace beside our own probes.

usage: record-bt.py TRACEDB PROGRAM.bt      exit 77 (skipped) without root, bpftrace or tracefs"""
import collections
import os
import re
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

TRACEDB, OPENAT = sys.argv[1:]
OPENSNOOP = '/usr/sbin/opensnoop.bt'  # where Debian has it
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f'failed: {what}')


def equal(got, want, what):
    check(got == want, f'{what}: {got!r}, expected {want!r}')


def record(*args):
    env = {key: value for key, value in os.environ.items() if not key.startswith(('SUDO_', 'PKEXEC_'))}
    return subprocess.run([TRACEDB, 'record', '-q', '-o', 'run.db', *args], env=env, text=True, capture_output=True,
                          check=False, timeout=120)


def rows(sql):
    return sqlite3.connect('file:run.db?mode=ro', uri=True).execute(sql).fetchall()


def clean():
    for path in Path('.').glob('run.*'):
        path.unlink()


def both_see_the_same():
    """What the command opens, by process and file: as bpftrace counts it, and as we do, on one clock."""
    done = record('--bt', OPENAT, '--', 'sh', '-c', 'for i in 1 2 3 4 5; do cat a b nothing; done; sleep 0.3')
    equal(done.returncode, 0, f'exit status ({done.stderr})')
    out = Path('run.db.openat.out')
    equal(stat.S_IMODE(out.stat().st_mode), 0o600, 'mode of the output')
    check(not Path('run.db.spool').exists(), 'the spool is gone')
    sources = dict(rows('SELECT importer, layout FROM source'))
    equal(sources, {'record': None, 'bpftrace': 'user:openat.bt'}, 'sources')
    ours, theirs = (rows(f"""SELECT pid, ret < 0, file, count(*) FROM calls
                             WHERE op = 'openat' AND source LIKE '{pattern}' AND pid IN
                                 (SELECT pid FROM calls WHERE source LIKE '%.spool') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""")
                    for pattern in ('%.spool', '%.out'))
    # bpftrace has paths as they were given, we have them whole
    def names(counts):
        return sorted((pid, failed, os.path.basename(file), n) for pid, failed, file, n in counts
                      if os.path.basename(file) in ('a', 'b', 'nothing'))
    equal(len(names(ours)), 15, 'files that five processes opened')
    equal(names(theirs), names(ours), 'opens that bpftrace saw')
    # the same call begins at the same time: what is between the two probes is less than the clock's error by hand
    apart = rows("""SELECT max(abs(a.start_ns - b.start_ns)) FROM
        (SELECT pid, start_ns, row_number() OVER (PARTITION BY pid ORDER BY start_ns) AS n FROM calls
         WHERE op = 'openat' AND source LIKE '%.spool' AND file LIKE '%/a') AS a
        JOIN (SELECT pid, start_ns, row_number() OVER (PARTITION BY pid ORDER BY start_ns) AS n FROM calls
         WHERE op = 'openat' AND source LIKE '%.out' AND file = 'a') AS b USING (pid, n)""")[0][0]
    check(apart is not None and apart < 1_000_000, f'begin of a call: {apart} ns apart')


COUNTED = ('close', 'mmap', 'munmap', 'newfstatat', 'openat', 'pread64', 'read', 'unlinkat', 'write')
WORK = 'for i in 1 2 3; do cat a b nothing >c; done; dd if=/dev/zero of=d bs=1k count=100; ls -l /etc >c; rm c d; sleep 0.3'


def same_counts():
    """Calls, failed ones and bytes, as a program of bpftrace counts them meanwhile, of each process that the command starts."""
    ops = ''.join(f"""tracepoint:syscalls:sys_exit_{op} {{ @calls[pid, "{op}"] = count();
        if (args->ret < 0) {{ @failed[pid, "{op}"] = count(); }} }}\n""" for op in COUNTED)
    ops += ''.join(f"""tracepoint:syscalls:sys_exit_{op} /args->ret > 0/ {{ @bytes[pid, "{op}"] = sum(args->ret); }}\n"""
                   for op in ('pread64', 'read', 'write'))
    Path('counts.bt').write_text(ops + 'END { printf("done\\n"); }\n')
    done = record('-e', 'all', '--bt', 'counts.bt', '--', 'sh', '-c', WORK)
    equal(done.returncode, 0, f'exit status ({done.stderr})')
    theirs = {(int(pid), what, op): int(n) for what, pid, op, n in
              re.findall(r'@(calls|failed|bytes)\[(\d+), (\w+)\]: (\d+)', Path('run.db.counts.out').read_text())}
    # the shell began before it was recorded
    ours = {}
    for pid, op, calls, failed, moved in rows(f"""
            SELECT pid, op, count(*), sum(ret < 0), sum(done_bytes) FROM calls WHERE op IN {COUNTED} AND process <> 'sh'
            GROUP BY 1, 2"""):
        ours |= {(pid, what, op): n for what, n in (('calls', calls), ('failed', failed), ('bytes', moved)) if n}
    pids = {pid for pid, _, _ in ours}
    equal(len(pids), 7, 'processes: three of cat, dd, ls, rm, sleep')
    equal(ours, {key: n for key, n in theirs.items() if key[0] in pids}, 'what both counted')


def as_opensnoop():
    """bpftrace's own opensnoop, which is imported as the tool that it is: its printf() calls print no time."""
    if not os.path.exists(OPENSNOOP):
        print(f'skipped: there is no {OPENSNOOP}')
        return
    done = record('--bt', OPENSNOOP, '--', 'sh', '-c', WORK)
    equal(done.returncode, 0, f'exit status ({done.stderr})')
    check('printed without nsecs' in done.stderr, f'said: {done.stderr}')
    equal(rows("SELECT importer, state FROM source WHERE path LIKE '%.out'"), [('bpftrace-tools', 'complete')], 'its source')
    lines = re.findall(r'^(\d+) +(\w+) +-?\d+ +(\d+) (\S+)$', Path('run.db.opensnoop.out').read_text(), re.MULTILINE)
    recorded = "source = 'run.db.spool' AND op = 'openat' AND process <> 'sh'"
    ours = rows(f'SELECT pid, -min(ret, 0), count(*) FROM calls WHERE {recorded} GROUP BY 1, 2')
    theirs = collections.Counter((int(pid), int(error)) for pid, _, error, _ in lines)
    check(sum(n for _, _, n in ours) > 20, 'there are some')
    equal({(pid, error): n for pid, error, n in ours},
          {key: n for key, n in theirs.items() if key[0] in {pid for pid, _, _ in ours}}, 'what both saw')


def not_a_program():
    """What bpftrace says is said, the command is not run, and nothing is left behind."""
    Path('bad.bt').write_text('tracepoint:syscalls:sys_enter_openat { printf("%d %d\\n", nsecs, nonsense); }\n')
    done = record('--bt', 'bad.bt', '--', 'touch', 'was-run')
    equal(done.returncode, 3, 'exit status of a program that does not read')
    check('bad.bt' in done.stderr, f'its name in: {done.stderr}')
    check(not Path('was-run').exists(), 'the command was not run')
    equal(sorted(p.name for p in Path('.').glob('run.*')), [], 'what is left')
    done = record('--bt', 'none.bt', '--', 'true')
    equal(done.returncode, 3, 'exit status without the program')


def only_maps():
    """Maps are imported as such; words that no importer knows stay where they are; a program that ends by itself is noted."""
    Path('words.bt').write_text('interval:s:1 { printf("hello\\n"); }\n')
    Path('maps.bt').write_text('tracepoint:syscalls:sys_enter_openat { @opens[pid] = count(); }\n'
                               'interval:ms:3000 { printf("tick\\n"); exit(); }\n')
    done = record('--bt', 'maps.bt', '--bt', 'words.bt', '--', 'sh', '-c', 'cat a b; sleep 5')
    equal(done.returncode, 0, f'exit status ({done.stderr})')
    check("left in 'run.db.words.out'" in done.stderr and "left in 'run.db.maps.out'" not in done.stderr, f'said: {done.stderr}')
    check('@opens[' in Path('run.db.maps.out').read_text(), 'the map was printed')
    equal(rows("SELECT path FROM source ORDER BY 1"), [('run.db.maps.out',), ('run.db.spool',)], 'sources')
    equal(rows("SELECT count FROM issue_count WHERE kind = 'bpftrace-ended'"), [(1,)], 'the early end is noted')


def main():
    if os.geteuid() != 0 or not os.path.isdir('/sys/kernel/tracing/events/syscalls'):
        print('needs root and tracefs')
        sys.exit(77)
    if subprocess.run(['sh', '-c', 'command -v bpftrace'], stdout=subprocess.DEVNULL, check=False).returncode:
        print('bpftrace is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
        os.chdir(scratch)
        for name in 'ab':
            Path(name).write_text(name)
        for case in (both_see_the_same, same_counts, as_opensnoop, not_a_program, only_maps):
            print(case.__name__)
            case()
            clean()
        os.chdir('/')
    sys.exit(bool(failures))


TRACEDB = os.path.abspath(TRACEDB)
OPENAT = os.path.abspath(OPENAT)
main()
