#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The examples for clusters, on loopback: Slurm and Dask make the same partial, byte for byte, as one process does.

usage: fleet.py TRACEDB EXAMPLES DATABASES slurm|dask

The folders of logs are made up here, each another one; then one of them does not answer, and is missed. Slurm imports them and reports (munged, slurmctld and slurmd are started here, with
keys, ports and folders of their own, and stopped); Dask reports on the databases, and one of its workers is killed in the middle.
A scheduler that is not installed skips the test: status 77."""
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIP = 77
REPORT = 'file_io --by template'
EVENTS = 400
WAIT_S = 240
SBIN = '/usr/sbin:/sbin:' + os.environ['PATH']


def folder_of_logs(folder, seed):
    """What bpftrace prints of one node: reads and writes of a shared data set, and of a file of its own. How many are reads."""
    rng, now = random.Random(seed), 10**15
    reads, lines = 0, ['Attaching 2 probes...', 'Capturing VFS Read and Write calls',
             'TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED  RETURNED   FILE']
    for _ in range(EVENTS):
        now += rng.randint(1, 2_000_000)
        s = now // 10**9 - 10**6
        what = rng.choice('RRRW')
        reads += what == 'R'
        name = rng.choice((f'case_{rng.randrange(200):05}_x.npy', f'node_{seed}.log'))
        lines.append(f'{now:<17} {s // 3600 % 24:02}:{s // 60 % 60:02}:{s % 60:02}  {4000 + rng.randrange(3):<6} python         '
                     f'{what}    {int(rng.lognormvariate(9, 2)):<7} 4096       {rng.choice((4096, 4096, 512)):<10} {name}')
    folder.mkdir()
    (folder / 'vfs_rw.out').write_text('\n'.join(lines) + '\n', encoding='utf-8')
    return reads


def program(name):
    return shutil.which(name, path=SBIN)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def daemon(folder, *args, **kwargs):
    with open(folder / (Path(args[0]).name + f'-{time.monotonic_ns()}.log'), 'wb') as log:
        process = subprocess.Popen([str(a) for a in args], stdout=log, stderr=log, **kwargs)
        try:
            yield process
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()


def wait_for(what, condition):
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, f'{what}: not after {WAIT_S} s'
        time.sleep(0.1)


# --- Slurm ---

def slurm_conf(folder):
    host = socket.gethostname().split('.')[0]
    for name in ('spool', 'state'):
        (folder / name).mkdir()
    (folder / 'cgroup.conf').write_text('CgroupAutomount=no\n', encoding='utf-8')
    conf = folder / 'slurm.conf'
    conf.write_text(f'''ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SlurmUser=root
SlurmdUser=root
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
''', encoding='utf-8')
    return conf


def by_slurm(tracedb, examples, work, runs):
    missing = [n for n in ('munged', 'slurmctld', 'slurmd', 'sbatch') if not program(n)]
    if missing or os.geteuid() != 0:
        print('not installed: ' + ', '.join(missing) if missing else 'Slurm needs root here')
        sys.exit(SKIP)
    try:
        socket.getaddrinfo(socket.gethostname(), None)
    except socket.gaierror:
        print(f'Slurm needs a host that knows its own name: {socket.gethostname()} is not in /etc/hosts')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix='tracedb-slurm-') as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / 'key').write_bytes(os.urandom(1024))
        (folder / 'key').chmod(0o400)
        env = os.environ | {'SLURM_CONF': str(slurm_conf(folder)), 'TRACEDB': tracedb, 'PATH': SBIN}
        with daemon(folder, program('munged'), '--foreground', '--force', f'--key-file={folder}/key', f'--socket={folder}/munge.socket',
                    f'--pid-file={folder}/munge.pid', f'--log-file={folder}/munge.log', f'--seed-file={folder}/munge.seed'):
            wait_for('munged', (folder / 'munge.socket').exists)
            with daemon(folder, program('slurmctld'), '-D', env=env), daemon(folder, program('slurmd'), '-D', env=env):
                result = submit(examples, work, env, 'slurm.partial', 4, runs)
                env |= {'TRACEDB': stuck(folder, tracedb, f'{runs[3]}.db'), 'LIMIT': '3s'}
                missed_one(tracedb, submit(examples, work, env, 'late.partial', len(runs), runs), len(runs))
                return result


def submit(examples, work, env, out, tasks, runs):
    wait_for('slurmd', lambda: 'idle' in subprocess.run(['sinfo', '-h'], env=env, capture_output=True, check=False, text=True).stdout)
    subprocess.run([examples / 'slurm' / 'submit.sh', REPORT, out, str(tasks), *runs], cwd=work, env=env, check=True, stdout=subprocess.DEVNULL)
    wait_for('the jobs', lambda: not subprocess.run(['squeue', '-h'], env=env, capture_output=True, check=True, text=True).stdout)
    for log in sorted((work / f'{out}.parts').glob('*.log')):
        sys.stdout.write(log.read_text(encoding='utf-8'))
    return work / out


# --- Dask ---

def by_dask(tracedb, examples, work, dbs):
    scheduler, worker = program('dask-scheduler'), program('dask-worker')
    if not scheduler or not worker:
        print('not installed: dask.distributed')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix='tracedb-dask-') as name, contextlib.ExitStack() as stack:
        folder, port = Path(name), free_port()
        address = f'tcp://127.0.0.1:{port}'
        stack.enter_context(daemon(folder, '/usr/bin/python3', scheduler, '--host', '127.0.0.1', '--port', port, '--no-dashboard', cwd=folder))
        workers = [stack.enter_context(daemon(folder, '/usr/bin/python3', worker, address, '--host', '127.0.0.1', '--nthreads', 1, '--no-dashboard',
                                              '--no-nanny', '--memory-limit', '1GB', '--local-directory', folder / f'worker{i}', cwd=folder))
                   for i in range(2)]
        started = folder / 'started'
        client = stack.enter_context(daemon(folder, '/usr/bin/python3', examples / 'dask' / 'fleet.py', address, work / 'dask.partial', REPORT, *dbs,
                                            cwd=work, env=os.environ | {'TRACEDB': slowly(folder, tracedb, started)}))
        wait_for('the first tasks', lambda: started.exists() and started.stat().st_size >= 3)
        workers[0].send_signal(signal.SIGKILL)
        wait_for('the client', lambda: client.poll() is not None)
        if client.returncode:
            sys.stdout.write(''.join(p.read_text(errors='replace') for p in folder.glob('python3-*.log')))
        assert client.returncode == 0, client.returncode
        late = subprocess.run(['/usr/bin/python3', examples / 'dask' / 'fleet.py', '--keep-going', address, work / 'late.partial', REPORT, *dbs], cwd=work, check=False,
                              env=os.environ | {'TRACEDB': stuck(folder, tracedb, dbs[3]), 'LIMIT_S': '1'}, capture_output=True, text=True)
        assert late.returncode == 4 and f'left out: {dbs[3]}: ' in late.stderr, late
        missed_one(tracedb, work / 'late.partial', len(dbs))
    return work / 'dask.partial'


def slowly(folder, tracedb, started):
    """A tracedb that says when it begins and takes a while, so that a worker is killed in the middle of its work."""
    path = folder / 'tracedb'
    path.write_text(f'#!/bin/sh\nprintf . >>{started}\nsleep 0.2\nexec {tracedb} "$@"\n', encoding='utf-8')
    path.chmod(0o755)
    return str(path)


def stuck(folder, tracedb, db):
    """A tracedb that never answers about one database."""
    path = folder / 'stuck'
    path.write_text(f'#!/bin/sh\ncase " $* " in *" {db} "*) exec sleep 1000 ;; esac\nexec {tracedb} "$@"\n', encoding='utf-8')
    path.chmod(0o755)
    return str(path)


def missed_one(tracedb, partial, n):
    """The report says of how many of how many it is."""
    done = subprocess.run([tracedb, 'report', '--from-partial', '--expect', str(n), '--keep-going', partial], capture_output=True, check=False, text=True)
    assert done.returncode == 4 and f'databases: {n - 1} of {n}; 1 did not answer' in done.stdout, done


def main():
    tracedb, examples, n, by = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), int(sys.argv[3]), sys.argv[4]
    with tempfile.TemporaryDirectory(prefix='tracedb-fleet-') as name:
        work = Path(name)
        work.chmod(0o755)
        runs = [f'node{i:03}' if i else 'of node 0' for i in range(n)]  # a name may have blanks
        reads = sum(folder_of_logs(work / run, i) for i, run in enumerate(runs))
        if by == 'slurm':
            begin = time.monotonic()
            result = by_slurm(tracedb, examples, work, runs)
        else:
            for run in runs:
                subprocess.run([tracedb, 'import', '--quiet', '-o', f'{run}.db', run], cwd=work, check=True)
            begin = time.monotonic()
            result = by_dask(tracedb, examples, work, [f'{run}.db' for run in runs])
        took = time.monotonic() - begin
        begin = time.monotonic()
        subprocess.run([tracedb, 'report', *REPORT.split(), '--partial', '-o', 'one.partial', *(f'{run}.db' for run in runs)], cwd=work, check=True)
        one = time.monotonic() - begin
        assert result.read_bytes() == (work / 'one.partial').read_bytes(), 'not the same bytes'
        answer = subprocess.run([tracedb, 'report', '--from-partial', '-f', 'json', result], capture_output=True, check=True, text=True).stdout
        assert sum(row['reads'] for row in json.loads(answer)) == reads, answer
        print(f'{by}: {n} databases, {took:.1f} s, and again without one that does not answer; one process {one:.1f} s; {result.stat().st_size} bytes, the same')


if __name__ == '__main__':
    main()
