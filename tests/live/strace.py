#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records with strace and every option that changes its text, and compares what the import made of it with what
strace says itself.

usage: strace.py TRACEDB PROG TASKS      exit 77: there is no strace, or it may not trace

- Each recording is made with -C: strace's own table at its end must have the calls and errors that osrt_sum shows.
- Programs that do the same each time are counted by a second run with -c, and recorded with -ff too.
- The processes, their exit statuses and the number of threads are those of the programs (prog.c, tasks.c).
- Following descriptors must give the files that strace -y prints.

What is imported is asked of the program in $TRACEDB_PLAIN, if that is set: TRACEDB, which may have sanitizers, only imports it."""
import csv
import io
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT_S = 60

# Options under which every call of every process is printed.
FULL = (
    '', '-t', '-tt -T', '-ttt -T -y', '-ttt -T -yy', '-r', '-r -T -ttt', '-ttt --relative-timestamps=ns -T',
    '--absolute-timestamps=unix,ns --syscall-times=ns', '--absolute-timestamps=s -r',
    '--absolute-timestamps=time,ms --syscall-times=ms', '--absolute-timestamps=unix,s --syscall-times=s',
    '--relative-timestamps=s', '--relative-timestamps=ms -y', '-tt -Y', '-Y -y -T', '-n -t', '-i', '-i -n -T -tt', '-v',
    '-v -s 4096', '-s 0', '-x', '-xx', '-xx -y -v', '-a 0', '-a 120 -T', '-X raw -T', '-X verbose -y',
    '-e abbrev=none', '-e read=all -e write=all', '-q', '-qq -tt', '-qqq', '--seccomp-bpf -t',
    '-e decode-fds=all -T', '--pidns-translation -tt', '-O 5 -T', '-w -ttt', '-D -tt',
    '-ttt -T -yy -v -i -n -Y -s 9999 -x')
# Those under which some calls, or ends of processes, are not printed; what is printed is what is counted.
PARTIAL = (
    '-e signal=none',     '-e trace=file,read -tt', '-e trace=%desc -y', '-e raw=all -T', '-e verbose=none', '-e trace=!futex -T',
    '-e inject=pread64:error=EIO:when=90 -T', '-e inject=close:delay_exit=500:when=1+2 -tt -T',
    '-e fault=lseek:when=1')
DETERMINISTIC = (['dd', 'if=in.dat', 'of=out.dat', 'bs=512'], ['cat', 'in.dat', 'missing'], ['ls', '-l', '/'])

failures = 0


def fail(what, got, want):
    global failures
    failures += 1
    print(f'{what}: got {got}, want {want}')


def check(what, got, want):
    if got != want:
        fail(what, got, want)


def run(command, **how):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S, check=False, **how)


def why_not():
    """Why strace cannot be used here; '' if it can."""
    try:
        tried = run(['strace', '-o', '/dev/null', 'true'])
    except OSError as error:
        return f'no strace: {error.strerror}'
    return tried.stderr.decode(errors='replace').strip() if tried.returncode else ''


def record(options, program, path='log.txt'):
    """False: this strace does not have these options."""
    Path(path).unlink(missing_ok=True)
    command = ['strace', '-o', path, *options, *program]
    done = run(command)
    refused = not Path(path).exists() or b'strace -h' in done.stderr
    if refused:
        print(f'# not tried: {" ".join(command[:-len(program)])}: {done.stderr.decode(errors="replace").strip()}')
    return not refused


def table_of(text):
    """Calls and errors by name from the table of -c; names are the last word, blank errors are none."""
    found = re.search(r'^% time .*\n-+.*\n((?:.*\n)*?)-+ .*\n', text, re.MULTILINE)
    table = {}
    for line in found[1].splitlines() if found else ():
        words = line.split()
        table[words[-1]] = (int(words[3]), int(words[4]) if len(words) == 6 else 0)
    return table


class Imported:
    """A recording as tracedb sees it."""

    def __init__(self, tracedb, *paths):
        Path('log.db').unlink(missing_ok=True)
        done = run([tracedb, 'import', '--quiet', '-o', 'log.db', *paths])
        if done.returncode:
            sys.exit(f'import of {paths}: {done.stderr.decode(errors="replace")}')
        asked = os.environ.get('TRACEDB_PLAIN', tracedb)
        shown = subprocess.run([asked, 'report', 'osrt_sum', '-f', 'csv', 'log.db'], capture_output=True, text=True,
                               timeout=TIMEOUT_S, check=True).stdout
        names = {}
        for row in csv.DictReader(io.StringIO(shown)):
            calls, errors = int(row['calls']), int(row['errors'])
            # strace has no name for these, and leaves them out of its table
            if calls and not row['name'].startswith('syscall_0x'):
                names[row['name']] = (calls, errors)
        self.table = names
        self.db = sqlite3.connect('log.db')

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def differences(self, table):
        names = sorted(set(table) | set(self.table))
        return {name: (self.table.get(name), table.get(name)) for name in names
                if self.table.get(name) != table.get(name)}


def check_clean(what, log):
    check(f'{what}: lines not used', log.rows('SELECT path, issues, repaired FROM source WHERE issues + repaired > 0'), [])
    check(f'{what}: lines', log.rows('SELECT path FROM source WHERE lines <> rows + skipped + issues'), [])


def check_processes(what, log, statuses, threads):
    check(f'{what}: exit statuses', log.rows('SELECT exit_status FROM process ORDER BY 1'), [(s,) for s in statuses])
    check(f'{what}: threads', log.rows('SELECT count(*) FROM thread')[0][0], threads)


def test_options(tracedb, program, options, processes):
    for option in options:
        if not record(['-f', '-C', *option.split()], [program]):
            continue
        what = f'{Path(program).name} {option}'
        table = table_of(Path('log.txt').read_text(encoding='utf-8', errors='replace'))
        log = Imported(tracedb, 'log.txt')
        check(f'{what}: calls, errors', log.differences(table), {})
        check(f'{what}: table', len(table) > 5, True)
        check_clean(what, log)
        # -qq leaves out how processes end
        if processes and '-qq' not in option:
            check_processes(what, log, *processes)


def test_second_run(tracedb):
    for program in DETERMINISTIC:
        what = ' '.join(program)
        if not record(['-f', '-c'], program, 'count.txt'):
            continue
        table = table_of(Path('count.txt').read_text(encoding='utf-8', errors='replace'))
        record(['-f', '-tt', '-T'], program)
        check(f'{what}: second run', Imported(tracedb, 'log.txt').differences(table), {})


def test_separate_files(tracedb, prog, tasks):
    """-ff: one file per thread. What a file cannot tell, another one may."""
    for program, statuses, threads in (prog, tasks):
        folder = Path('separate')
        run(['rm', '-rf', folder])
        folder.mkdir()
        run(['strace', '-ff', '-ttt', '-T', '-o', folder / 'log', program])
        what = f'{Path(program).name} -ff'
        log = Imported(tracedb, folder)
        check_clean(what, log)
        check(f'{what}: files', log.rows('SELECT count(*) FROM source')[0][0], len(list(folder.iterdir())))
        check_processes(what, log, statuses, threads)


def without_notes(line):
    """The line as it is without -y: an annotation follows a descriptor or AT_FDCWD, not within quotes."""
    out, i = [], 0
    while i < len(line):
        quoted = re.compile(r'"(?:[^"\\]|\\.)*"?').match(line, i)
        note = re.compile(r'(?<=[0-9D])<(?:[^<>\\]|\\.|->|<[^<>]*>)*>(?:\(deleted\))?').match(line, i)
        if quoted:
            out.append(quoted[0])
        elif note and not re.match(r'<[0-9.]+>$', note[0]):
            i = note.end()
            continue
        else:
            out.append(line[i])
        i += len(out[-1])
    return ''.join(out)


FILES = '''SELECT op, fd, file, file_class FROM calls ORDER BY start_ns, id'''


def same_file(name, path):
    """What the program called it, and what -y prints: a full path, inodes of pipes and sockets."""
    return (path == name or path.endswith('/' + name) or Path(name).resolve() == Path(path) or
            path.split(':')[0] == name.split(':')[0])


def test_following(tracedb, *programs):
    for program in programs:
        record(['-f', '-y', '-ttt', '-T'], [program], 'with.txt')
        text = Path('with.txt').read_text(encoding='utf-8', errors='surrogateescape')
        bare = '\n'.join(without_notes(line) for line in text.split('\n'))
        Path('without.txt').write_text(bare, encoding='utf-8', errors='surrogateescape')
        told = Imported(tracedb, 'with.txt').rows(FILES)
        followed = Imported(tracedb, 'without.txt').rows(FILES)
        what = f'{Path(program).name}: following descriptors'
        check(f'{what}: calls', [row[:2] for row in followed], [row[:2] for row in told])
        known = 0
        for mine, theirs in zip(followed, told):
            # 0, 1 and 2 were open before; a descriptor that came through a socket is not followed
            if mine[1] is None or mine[1] < 3 or not mine[2]:
                continue
            known += 1
            if not same_file(mine[2], theirs[2]):
                fail(what, mine, theirs)
        missed = [row for mine, row in zip(followed, told) if (mine[1] or 0) > 2 and row[2] and not mine[2]]
        check(f'{what}: enough of them', known > 30, True)
        check(f'{what}: missed', len(missed) <= 2, True)


def main(tracedb, prog, tasks):
    reason = why_not()
    if reason:
        print(reason)
        sys.exit(77)
    os.environ['LC_ALL'] = 'C'
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # 4 * 4096 + 100 bytes, as prog.c wants it
        Path('in.dat').write_bytes(bytes(16484))
        # prog.c calls its new program by this name
        os.symlink(prog, 'prog')
        # a child killed, one with status 3, the first one; one more thread in it
        in_prog = ('./prog', [-9, 0, 3], 4)
        # the statuses in tasks.c; 8 first threads, 4 of the first process, 2 of that with status 14, 3 and 3
        in_tasks = (tasks, [-9, 0, 10, 11, 12, 13, 14, 15], 8 + 4 + 2 + 3 + 3)
        test_options(tracedb, tasks, FULL, in_tasks[1:])
        test_options(tracedb, tasks, PARTIAL, None)
        test_options(tracedb, './prog', FULL[:5], in_prog[1:])
        test_second_run(tracedb)
        test_separate_files(tracedb, in_prog, in_tasks)
        test_following(tracedb, './prog', tasks)
        os.chdir('/')
    print(f'{failures} failed')
    sys.exit(failures > 0)


main(*(str(Path(path).resolve()) for path in sys.argv[1:]))
