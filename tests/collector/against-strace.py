#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was recorded against what strace sees of the same deterministic programs: the same calls in the same order
with the same results, on the same files; of a program with children, the same counts.

    against-strace.py RECORD_TEXT KNOWN_CALLS
"""
import collections
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Results that differ from run to run; also, how long the program's own account is (of thread numbers).
ADDRESSES = {'mmap', 'mremap', 'brk'}
# numbers that are given in turn
NUMBERS = {'msgget'}
CALL = re.compile(r'(?P<tid>\d+) +(?P<op>\w+)\((?P<args>.*)\) += (?P<ret>-?\d+|\?|0x[0-9a-f]+)'
                  r'(?P<rest>.*)$')
PATH = re.compile(r'<(?P<path>(?:[^<>\\]|\\.)*)>')
SCRIPT = '''
for i in 1 2 3 4 5; do
    (cat /etc/passwd | head -n 3 > f$i; echo $i >> f$i; ls -l f$i > /dev/null)
done
cp f1 g; mv g h; rm h nothing 2> /dev/null
mkdir d; rmdir d
exit 3
'''
# What the kernel lets happen in another order or number from run to run: who waits how often for whom.
UNSTABLE = {'wait4', 'restart_syscall', 'read', 'futex'}
# A shell's clone() is made once more where a child of it ends just before: '? ERESTARTNOINTR' of a tracer, recorded as EINTR. Other calls
# of the script are not stopped by a signal.
AGAIN = re.compile(r'= \? ERESTARTNOINTR ')

errors = []


def run_strace(command, cwd):
    out = cwd + '/strace.out'
    subprocess.run(['strace', '-f', '-y', '-T', '-s', '0', '-o', out, *command], cwd=cwd, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, encoding='latin-1') as f:
        return f.read().splitlines()


def run_record(record_text, command, cwd):
    """The records from the successful execve() on."""
    run = subprocess.run([record_text, '--', *command], stdout=subprocess.PIPE, text=True, cwd=cwd,
                         encoding='latin-1', check=False)
    if run.returncode == 77:
        sys.exit(77)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    files = {r['file']: r for r in records if r['kind'] == 'file'}
    # a call that copies is two rows
    calls = sorted((r for r in records if r['kind'] == 'call' and not r['op'].endswith(':out')), key=lambda c: c['start'])
    first = next(i for i, c in enumerate(calls) if c['op'] == 'execve' and c['ret'] == 0)
    return calls[first:], files


def plain_path(path):
    """As both write it: numbers of pipes differ from run to run."""
    if path is None:
        return None
    path = re.sub(r'\[\d+\]', '[*]', path)
    path = re.sub(r'^(tcp|udp|unix):.*', 'socket:[*]', path)  # of which -y says no more
    return path.replace('/memfd:', 'memfd:').removesuffix(' (deleted)')


def strace_path(m, record):
    """What -y says of the descriptor that our record is about."""
    for text in (m['args'], m['rest']):
        found = re.match(rf'.*?\b{record["fd"]}<((?:[^<>]|->)*)>', text)
        if found:
            return plain_path(found[1])
    return None


def inside(path, folder):
    """The path in the root that the program has: strace prints that of a file in another mount namespace, which the program
    has made for itself, from the '/' of that one."""
    return path[path.index(folder):] if path and path[0] == '/' and folder in path else path


def compare_calls(lines, calls, files, folder):
    """Call by call. Those that the probes do not record by choice are left out."""
    ops = {c['op'] for c in calls}
    seen = [m for m in map(CALL.match, lines) if m and m['op'] in ops]
    compared = 0
    for m, c in zip(seen, calls):
        if m['op'] != c['op']:
            errors.append(f"strace has {m['op']}({m['args']}) where {c} was recorded")
            break
        if m['ret'] == '-1':
            same = errno_of(m['rest']) == -c['ret']
        else:
            same = (m['ret'] in (str(c['ret']), '?') or c['op'] in ADDRESSES | NUMBERS or
                    '/truth>' in m['args'])
        if not same:
            errors.append(f"strace has {m[0]!r} where {c} was recorded")
        if 'fd' in c:
            want, got = inside(strace_path(m, c), folder), plain_path(files.get(c['file'], {}).get('path'))
            if want is not None and want != got:
                errors.append(f"strace has the path {want!r}, recorded is {got!r}: {c}")
            compared += want is not None
    if len(seen) != len(calls):
        errors.append(f'strace has {len(seen)} calls, {len(calls)} were recorded')
    if compared < 100:
        errors.append(f'only {compared} paths could be compared')
    print(f'{len(seen)} calls, {compared} of them with a path')


def errno_of(text):
    m = re.match(r' (E\w+)', text)
    return getattr(errno, m[1], None) if m else None


def compare_counts(lines, calls):
    """strace -f -c, but from the lines: a call that is interrupted by another thread's has two."""
    ours = collections.Counter(c['op'] for c in calls if c['ret'] != -errno.EINTR)
    theirs = collections.Counter()
    for line in lines:
        m = re.match(r'\d+ +(?:<\.\.\. (\w+) resumed>|(\w+)\()', line)
        if m and (m[1] or 'unfinished ...>' not in line) and not AGAIN.search(line):
            theirs[m[1] or m[2]] += 1
    for op in sorted(set(ours) - UNSTABLE):
        if ours[op] != theirs[op]:
            errors.append(f'{op}: strace has {theirs[op]}, {ours[op]} were recorded')
    print(f'{sum(ours.values())} calls of {len(ours)} kinds')


def main():
    record_text, known_calls = (os.path.abspath(p) for p in sys.argv[1:3])
    if not shutil.which('strace'):
        print('strace is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as tmp:
        work = os.path.realpath(tmp) + '/w'

        def fresh():
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            return work

        command = [known_calls, tmp + '/truth', work]
        calls, files = run_record(record_text, command, fresh())
        compare_calls(run_strace(command, fresh()), calls, files, work)
        command = ['/bin/sh', '-c', SCRIPT]
        calls, files = run_record(record_text, command, fresh())
        compare_counts(run_strace(command, fresh()), calls)
    for e in errors[:20]:
        print(e[:1000])
    sys.exit(bool(errors))


main()
