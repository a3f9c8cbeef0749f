# SPDX-License-Identifier: MIT
"""What 'tracedb record' costs: per system call against other tracers, under load, and in real jobs.

Each round runs every tracer once, in turn. A run is timed from inside (timed.py): what starting a tracer takes, and what it does
after the command has ended, is not part of it."""
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

from figures import DATA, ROOT, record

FOLDER = DATA / 'recording'
TIMED = ROOT / 'bench' / 'timed.py'
PYTHON = '/usr/bin/python3'
CALLS_A_BLOCK = 2  # of dd: read and write
MEASURED_S = 10.5  # by then the recorder has stopped to measure its programs, which it does for two seconds
LOAD_S, LOAD_THREADS, LOAD_RATE = 10, 2, 1000000
FLAT_OUT_S = 3
LOADER_FILES, LOADER_EPOCHS = 10000, 2
ROWS, COMMITS = 1500000, 300
JOB_ROUNDS = 5


class Failed(Exception):
    """A run that says nothing."""


# --- one run ---

def run(command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors='replace', check=False, env={**os.environ, 'LC_ALL': 'C'}, cwd=FOLDER, **options)
    if done.returncode:
        raise Failed(f'{shlex.join(map(str, command))}: exit {done.returncode}\n{done.stderr}')
    return done


def timed(command, after_s=0.0):
    return [PYTHON, TIMED, FOLDER / 'timed.json', after_s, *command]


def took():
    with open(FOLDER / 'timed.json', encoding='ascii') as file:
        return json.load(file)


class Recording:
    """tracedb-record, and what is in its spool."""

    def __init__(self, programs):
        self.program, self.tracedb = programs / 'collector/tracedb-record', programs / 'cli/tracedb'
        self.db = FOLDER / 'run.db'
        self.spool = FOLDER / 'run.db.spool'
        self.spool_bytes = 0

    def command(self, *options):
        self.spool.unlink(missing_ok=True)
        return [self.program, '--quiet', '-o', self.db, *options]

    def query(self, *questions):
        """Rows of the database that is made of it."""
        self.db.unlink(missing_ok=True)
        run([self.tracedb, 'import', '--quiet', '-o', self.db, self.spool])
        self.spool_bytes = self.spool.stat().st_size
        with sqlite3.connect(self.db) as db:
            answers = [db.execute(question).fetchall() for question in questions]
        self.db.unlink()
        return answers


# --- the cost of a call ---

def dd(blocks):
    return ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', f'count={blocks}']


def dd_seconds(done):
    """As dd itself says it: '1000000 bytes (1.0 MB, 977 KiB) copied, 0.2914 s, 3.4 MB/s'."""
    found = re.search(r'copied, ([0-9.e+-]+) s,', done.stdout + done.stderr)
    if not found:
        raise Failed(f'dd says nothing: {done.stdout}{done.stderr}')
    return float(found[1])


class Tracer:
    """One way to run dd; blocks: few enough for a run of some seconds."""

    def __init__(self, name, blocks, run_dd, check=lambda blocks: ''):
        self.name, self.blocks, self.run_dd, self.check = name, blocks, run_dd, check
        self.wall_us, self.cpu_us = [], []

    def round(self):
        seconds = self.run_dd(timed(dd(self.blocks)), self.blocks)
        calls = self.blocks * CALLS_A_BLOCK
        self.wall_us.append(seconds / calls * 1e6)
        self.cpu_us.append(took()['cpu_s'] / calls * 1e6)


def alone(command, _blocks):
    return dd_seconds(run(command))


def recorded(recording):
    return lambda command, _blocks: dd_seconds(run(recording.command('-e', 'file_io', '--', *command)))


def recorded_later(recording):
    """When the programs are not measured any more."""
    return lambda _command, blocks: dd_seconds(
        run(recording.command('-e', 'file_io', '--', *timed(dd(blocks), MEASURED_S))))


def beside(recording):
    """Another process is recorded."""
    def run_dd(command, _blocks):
        with subprocess.Popen(['sleep', 'infinity']) as other:
            options = recording.command('-e', 'file_io', '-p', str(other.pid))
            options.remove('--quiet')
            with subprocess.Popen(options, stderr=subprocess.PIPE, text=True) as recorder:
                while 'recording to' not in (line := recorder.stderr.readline()):
                    if not line:
                        raise Failed('the recorder ended')
                time.sleep(MEASURED_S)
                seconds = dd_seconds(run(command))
                recorder.send_signal(signal.SIGINT)
                recorder.communicate()
            other.kill()
        return seconds
    return run_dd


def all_recorded(recording):
    """Every read and every write of dd is there, or counted as lost."""
    def check(blocks):
        found, lost = recording.query(
            "select o.name, count(*) from call c join op o on o.id = c.op_id join file f on f.id = c.file_id "
            "join process p on p.id = c.process_id where f.path in ('/dev/zero', '/dev/null') and p.name = 'dd' "
            'and o.name in (\'read\', \'write\') group by 1 order by 1',
            'select coalesce(sum(lost), 0) from loss')
        if lost[0][0] == 0 and found != [('read', blocks), ('write', blocks)]:
            raise Failed(f'{blocks} blocks, but there are {found}')
        return f'{lost[0][0]} lost; {recording.spool_bytes / blocks / CALLS_A_BLOCK:.1f} bytes a call'
    return check


def under_bpftrace(command, _blocks):
    return dd_seconds(run(['bpftrace', '-o', FOLDER / 'bpftrace.out', '-c', ' '.join(map(str, command)),
                           ROOT / 'bench/dd.bt']))


def lines_of(path, pattern):
    with open(FOLDER / path, encoding='utf-8', errors='replace') as file:
        return sum(bool(re.search(pattern, line)) for line in file)


def check_bpftrace(blocks):
    lines = lines_of('bpftrace.out', r':sys_exit_(read|write) ')
    return f'{max(0, blocks * CALLS_A_BLOCK - lines)} lost'


def under_strace(command, _blocks):
    return dd_seconds(run(['strace', '-f', '-ttt', '-T', '-y', '-o', 'strace.out', *command]))


def under_perf(command, _blocks):
    return dd_seconds(run(['perf', 'trace', '-o', 'perf.out', '--', *command]))


def check_perf(blocks):
    lines = lines_of('perf.out', r' dd/\d+ (read|write)\(')
    return f'{max(0, blocks * CALLS_A_BLOCK - lines)} lost'


def tracers(recording):
    """Those that are there; the first one is none, the second one ours."""
    ways = [
        Tracer('nothing', 1000000, alone),
        Tracer('tracedb record -e file_io', 1000000, recorded_later(recording), all_recorded(recording)),
        Tracer('  in its first 2 s', 1000000, recorded(recording), all_recorded(recording)),
        Tracer('  of another process', 1000000, beside(recording)),
    ]
    for name, blocks, run_dd, check in (
            ('bpftrace printf', 200000, under_bpftrace, check_bpftrace),
            ('strace -f -ttt -T -y', 20000, under_strace, lambda blocks: ''),
            ('perf trace', 50000, under_perf, check_perf)):
        if shutil.which(name.split()[0]):
            ways.append(Tracer(name, blocks, run_dd, check))
        else:
            print(f'  {name}: not installed')
    return ways


def spread_us(values):
    return f'{statistics.median(values):8.3f} us ({min(values):.3f} .. {max(values):.3f})'


def added(tracer, base):
    """Per call, against the round's own run without."""
    return [wall - without for wall, without in zip(tracer.wall_us, base.wall_us)]


def bench_calls(recording, rounds):
    print(f'\ndd bs=1, {rounds} rounds in turn, time per call by the clock: median (min .. max)')
    ways = tracers(recording)
    notes = {}
    for left in reversed(range(rounds)):
        for tracer in list(ways):
            try:
                tracer.round()
                if left == 0:
                    notes[tracer] = tracer.check(tracer.blocks)
            except Failed as why:
                ways.remove(tracer)
                print(f'  {tracer.name}: {why}')
    base, ours = ways[0], ways[1]
    print(f'  {base.name:<28}  {spread_us(base.wall_us)}')
    for tracer in ways[1:]:
        cpu = statistics.median(tracer.cpu_us) - statistics.median(base.cpu_us)
        print(f'  {tracer.name:<28} +{spread_us(added(tracer, base))}  CPU time of dd {cpu:+.3f} us  {notes[tracer]}')
    ours_us = statistics.median(added(ours, base))
    record('record: added to a call', ours.blocks * CALLS_A_BLOCK, ours_us, 0, 'us')
    for tracer in ways[2:]:
        theirs_us = statistics.median(added(tracer, base))
        record('record: added to a call, against ' + tracer.name.strip(), tracer.blocks * CALLS_A_BLOCK, ours_us,
               theirs_us, 'us')
        print(f'  {tracer.name.strip()} against tracedb record: {theirs_us / ours_us:.1f} times')


# --- under load ---

def bench_load(recording, programs, seconds, rate):
    """Whatever was made is stored or counted as lost, to the call."""
    done = run(recording.command('-e', 'file_io', '--', programs / 'bench/bench-calls', LOAD_THREADS, seconds, rate))
    made = int(done.stdout.split()[0])
    wall_s = float(re.search(r'in ([0-9.]+) s', done.stdout)[1])
    reads, stored, losses = recording.query(
        "select count(*) from call c join op o on o.id = c.op_id join file f on f.id = c.file_id "
        "where o.name = 'read' and f.path = '/dev/zero'",
        'select count(*) from call',
        "select sum(generated), sum(lost), max(ring_peak_bytes), max(ring_size_bytes) from loss where name = 'file_io'")
    generated, lost, peak_bytes, ring_bytes = losses[0]
    reads, stored = reads[0][0], stored[0][0]
    exact = generated == stored + lost and reads <= made <= reads + lost
    wanted = f'{rate / 1e6:g} million calls/s wanted' if rate else 'as many as can be'
    print(f'  {wanted}, {LOAD_THREADS} threads, {wall_s:.1f} s: {made / wall_s / 1e6:.2f} million/s made; '
          f'generated {generated} = stored {stored} + lost {lost}{"" if exact else ": NOT SO"}; '
          f'{recording.spool_bytes / stored:.1f} bytes a call; buffer {peak_bytes >> 10} of {ring_bytes >> 10} KiB full')
    if not exact:
        raise Failed(f'{made} calls were made, {reads} of them are stored')
    record(f'record: lost at {wanted}', generated, 100 * lost / generated, 0, '%')


# --- real jobs ---

def loader_job():
    files = FOLDER / 'loader'
    if not files.exists():
        print(f'generating {LOADER_FILES} files in {files.relative_to(ROOT)}')
        unfinished = files.with_suffix('.part')
        shutil.rmtree(unfinished, ignore_errors=True)
        run([PYTHON, ROOT / 'bench/loader.py', 'make', unfinished, LOADER_FILES])
        unfinished.rename(files)
    return [PYTHON, ROOT / 'bench/loader.py', files, '2', LOADER_EPOCHS]


def build_job():
    """Our own sources, as make would do it."""
    return ['sh', '-c', f'cd {shlex.quote(str(ROOT))} && ls common/*.c importers/*/*.c | '
            'xargs -P 2 -n 1 gcc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o /dev/null']


def sqlite_job():
    """Many rows at once, then commits of one row each."""
    sql, db = FOLDER / 'insert.sql', FOLDER / 'insert.db'
    if not sql.exists():
        with open(sql, 'w', encoding='ascii') as file:
            file.write('create table t (id integer primary key, name text, size integer);\nbegin;\n')
            for i in range(ROWS + COMMITS):
                if i == ROWS:
                    file.write('commit;\n')
                file.write(f"insert into t values ({i}, '/raid/case_{i * 7919 % ROWS:07}_x.npy', {i * 31 % 1000003});\n")
    return ['sh', '-c', f'rm -f {db} && sqlite3 {db} < {sql}']


def bench_jobs(recording):
    print(f'\njobs without and with tracedb record, {JOB_ROUNDS} rounds in turn: best against best; round by round')
    for name, job in (('data loader, 10,000 files', loader_job()), ('C build', build_job()),
                      ('sqlite3, inserts', sqlite_job())):
        run(job)
        without, with_it, slower = [], [], []
        for _ in range(JOB_ROUNDS):
            run(timed(job))
            without.append(took())
            run(recording.command('--', *timed(job)))
            with_it.append(took())
            slower.append(100 * (with_it[-1]['wall_s'] / without[-1]['wall_s'] - 1))
        cpu = [100 * (b['cpu_s'] / a['cpu_s'] - 1) for a, b in zip(without, with_it)]
        calls, lost = recording.query('select count(*) from call', 'select coalesce(sum(lost), 0) from loss')
        best_s, best_with_s = (min(run['wall_s'] for run in runs) for runs in (without, with_it))
        print(f'  {name:<28} {best_s:6.2f} s  slower by {100 * (best_with_s / best_s - 1):5.2f} %; '
              f'{statistics.median(slower):5.2f} % ({min(slower):.2f} .. {max(slower):.2f})  '
              f'its CPU time {statistics.median(cpu):+.2f} %  {calls[0][0]} calls, {lost[0][0]} lost')
        record(f'record: slower, {name}', calls[0][0], statistics.median(slower), 0, '%')


def bench_recording(programs, rounds):
    """programs: a release build with the collector."""
    programs = programs.resolve()
    recording = Recording(programs)
    if not recording.program.exists() or os.geteuid() != 0:
        print(f"\nrecording: skipped: {'needs root' if recording.program.exists() else 'there is no tracedb-record'}")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        bench_calls(recording, rounds)
        print('\ncalls under load, all accounted for')
        bench_load(recording, programs, LOAD_S, LOAD_RATE)
        bench_load(recording, programs, FLAT_OUT_S, 0)
        bench_jobs(recording)
    except Failed as why:
        sys.exit(f'bench: {why}')
