#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Made-up jobs of several ranks of which one is slow, because it reads: 'report ranks', 'report stragglers' and slow_rank.sql say which rank,
in which phase, for which cause, whether the ranks are in one database or in one each.

Nothing but import --rank tells the rank: traces without distributedInfo, logs of which all ranks' are alike.

usage: jobs.py TRACEDB SLOW_RANK_SQL"""
import copy
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MS, SEC = 10**6, 10**9
EPOCHS, STEPS = 3, 8
COLLECTIVE = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'


class Job:
    """What each rank did, in true time: kernels (name, begin, end), reads (begin, end), epochs (begin, end)."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.ranks, self.slow, self.bad_epoch = r.randrange(2, 5), 0, r.randrange(EPOCHS)
        self.slow = r.randrange(self.ranks)
        self.kernels = [[] for _ in range(self.ranks)]
        self.reads = [[] for _ in range(self.ranks)]
        self.epochs = [[] for _ in range(self.ranks)]
        at = 1_700_000_000 * SEC
        for epoch in range(EPOCHS):
            begin = at
            for _ in range(STEPS):
                at = self.step(r, at, reads=epoch == self.bad_epoch)
            for rank in range(self.ranks):  # who is slow is late with its end, too
                late = 300 * MS if (rank, epoch) == (self.slow, self.bad_epoch) else r.randrange(20) * MS
                self.epochs[rank].append((begin + rank * MS, at + late))
            at += SEC

    def step(self, r, at, reads):
        """The slow rank reads before it works; all wait for it in the collective. Returns its end."""
        begins = []
        for rank in range(self.ranks):
            read = r.randrange(40, 60) * MS if rank == self.slow and reads else r.randrange(1, 3) * MS
            self.reads[rank].append((at, at + read))
            work = at + read + r.randrange(5, 7) * MS
            self.kernels[rank].append(('gemm', at + read, work))
            begins.append(work + r.randrange(1000, 10000))
        end = max(begins) + MS
        for rank, begin in enumerate(begins):
            self.kernels[rank].append((COLLECTIVE, begin, end))
        return end

    def collective_ns(self, rank):
        return sum(end - begin for name, begin, end in self.kernels[rank] if name == COLLECTIVE)


def trace(*ranks):
    """Of ranks (kernels, device), as PyTorch writes it, but for distributedInfo: each process before the work on its GPU."""
    base = ranks[0][0][0][1]
    return (f'{{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "GPU"}}],\n"baseTimeNanoseconds": {base}, "traceEvents": [\n' +
            ',\n'.join(event for kernels, device in ranks for event in events_of(kernels, device, base)) + '\n]}\n')


def events_of(kernels, device, base):
    micros = lambda ns: f'{ns // 1000}.{ns % 1000:03}'
    events = [f'{{"ph": "X", "cat": "kernel", "name": {json.dumps(name)}, "pid": {device}, "tid": 7, "ts": {micros(begin - base)}, "dur": {micros(end - begin)}, '
              f'"args": {{"device": {device}, "stream": 7, "correlation": {i}}}}}' for i, (name, begin, end) in enumerate(kernels)]
    host = [f'{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": {100 + device}, "tid": {100 + device}, "ts": {micros(begin - base)}, "dur": 0.500, '
            f'"args": {{"correlation": {i}}}}}' for i, (_, begin, _) in enumerate(kernels)]
    return host + events


def log(epochs):
    """As MLPerf's, which name no rank."""
    line = lambda at, kind, key, number: (f':::MLLOG {{"namespace": "", "time_ms": {at // MS}, "event_type": "INTERVAL_{kind}", "key": "{key}", "value": null, '
                                          f'"metadata": {{"epoch_num": {number}}}}}\n')
    return ''.join(line(begin, 'START', 'epoch_start', i + 1) + line(end, 'END', 'epoch_stop', i + 1) for i, (begin, end) in enumerate(epochs))


def calls(reads, pid):
    """As strace -f -yy -ttt -T prints them."""
    return ''.join(f'{pid} {begin // SEC}.{begin % SEC // 1000:06} read(3</data/train_{pid}.bin>, "", 1048576) = 1048576 <{(end - begin) / SEC:.6f}>\n' for begin, end in reads)


def table(tracedb, *args, **more):
    done = subprocess.run([tracedb, *args], check=True, text=True, stdout=subprocess.PIPE, **more)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def moved(job, ahead):
    """The same by clocks that are ahead of the true one."""
    by = copy.copy(job)
    by.kernels = [[(name, begin + ns, end + ns) for name, begin, end in of] for of, ns in zip(job.kernels, ahead)]
    by.reads = [[(begin + ns, end + ns) for begin, end in of] for of, ns in zip(job.reads, ahead)]
    by.epochs = [[(begin + ns, end + ns) for begin, end in of] for of, ns in zip(job.epochs, ahead)]
    return by


def import_all(job, folder, ahead, *files):
    """Into one database, each rank of a machine of its own."""
    by = moved(job, ahead)
    (folder / 'all.db').unlink(missing_ok=True)
    for rank in range(job.ranks):
        of = folder / f'machine{rank}'
        of.mkdir(exist_ok=True)
        for name, text in (('trace.json', trace((by.kernels[rank], rank))), ('train.log', log(by.epochs[rank])), ('calls.txt', calls(by.reads[rank], 100 + rank))):
            (of / name).unlink(missing_ok=True)
            if name in files:
                (of / name).write_text(text)
        subprocess.run([tracedb_path(), 'import', '-q', '--rank', str(rank), '--host', f'm{rank}', *(['--append'] if rank else []), '-o', folder / 'all.db', of], check=True)
    return table(tracedb_path(), 'report', 'stragglers', '-f', 'csv', '--limit', '1000', folder / 'all.db')


def wrong_by_machines(folder, seed):
    """Machines whose clocks are off, by less than the run is long where logs are to be of one: who was late, and by how much, to the error that is stated."""
    job, r = Job(seed), random.Random(seed)
    yield from wrong_by_clocks(job, folder, [r.randrange(-3600 * SEC, 3600 * SEC) for _ in range(job.ranks)], 'trace.json', 'calls.txt')
    ahead, all_files = [r.randrange(-SEC // 2, SEC // 2) for _ in range(job.ranks)], ('trace.json', 'train.log', 'calls.txt')
    yield from wrong_by_clocks(job, folder, ahead, *all_files)
    # as far off as they may be, when the logs do not overlap
    hours = [rank * 3600 * SEC + ns for rank, ns in enumerate(ahead)]
    yield from wrong_by_clocks(job, folder, hours, *all_files)
    yield from wrong_in_runs(job, folder, hours)
    # logs alone know less, and a clock that was set fits nothing: then nothing is moved
    rows = import_all(job, folder, ahead, 'train.log')
    if any(not MS < int(row['clock_error_ns'] or 0) for row in rows) or not rows:
        yield f'machines, logs alone: {rows}'
    set_back = copy.copy(job)
    set_by = lambda rank, i: 3600 * SEC if rank and i > STEPS else 0
    set_back.kernels = [[(name, begin + set_by(rank, i), end + set_by(rank, i)) for i, (name, begin, end) in enumerate(of)] for rank, of in enumerate(job.kernels)]
    rows = import_all(set_back, folder, ahead, *all_files)
    if any(row['clock_error_ns'] for row in rows) or {row['what'] for row in rows} != {'epoch'}:
        yield f'machines, a clock that was set: {rows}'


def wrong_in_runs(job, folder, ahead):
    """Logs of ranks of several machines are of one run, whatever their clocks say; of one machine each that ends before the next one begins is a run."""
    runs = lambda db: [int(row['n']) for row in table(tracedb_path(), 'query', '-f', 'csv', db, 'SELECT count(DISTINCT run_number) AS n FROM log_run')]
    if runs(folder / 'all.db') != [1]:
        yield f'machines: {runs(folder / "all.db")} runs of one job'
    # what lays times of machines beside each other says how far their clocks are apart, as a range that holds it; what compares none does not
    for name, *options in (('ranks',), ('gpu_idle',), ('overlap', '--phase', 'epoch'), ('osrt_sum',), ('stragglers',)):
        said = subprocess.run([tracedb_path(), 'report', name, *options, folder / 'all.db'], check=True, capture_output=True, text=True).stdout
        ranges = {int(rank): (float(least), float(most)) for rank, least, most in re.findall(r' m(\d) by ([-+][.\d]+) to ([-+][.\d]+) s', said)}
        if sorted(ranges) != ([] if name in ('osrt_sum', 'stragglers') else list(range(1, job.ranks))):
            yield f'{name}: says of the clocks of {sorted(ranges)}: {said}'
        for rank, (least, most) in ranges.items():
            if not least <= (ahead[rank] - ahead[0]) / SEC <= most or most - least > 60:
                yield f'{name}: rank {rank} is not {(ahead[rank] - ahead[0]) / SEC} ahead: {least} to {most}'
    by = moved(job, ahead)
    for rank in range(job.ranks):
        of = folder / f'one{rank}'
        of.mkdir(exist_ok=True)
        (of / 'train.log').write_text(log(by.epochs[rank]))
        said = subprocess.run([tracedb_path(), 'import', '--rank', str(rank), *(['--append'] if rank else ['--force']), '-o', folder / 'one.db', of],
                              check=True, capture_output=True, text=True).stderr
    if runs(folder / 'one.db') != [job.ranks]:
        yield f'one machine: {runs(folder / "one.db")} runs'
    if '--rank N --host NAME' not in said:
        yield f'nobody says how to make one run of them: {said}'


def wrong_by_clocks(job, folder, ahead, *files):
    rows = import_all(job, folder, ahead, *files)
    want = [(what, str(rank)) for what in ['epoch'] * ('train.log' in files) + [COLLECTIVE.split('(', maxsplit=1)[0]] for rank in range(job.ranks)]
    if sorted((row['what'], row['rank']) for row in rows) != sorted(want):
        yield f'machines: {rows}, not {want}'
        return
    begins = {rank: [begin for name, begin, _ in job.kernels[rank] if name == COLLECTIVE] for rank in range(job.ranks)}
    for row in rows:
        rank, error = int(row['rank']), int(row['clock_error_ns'])
        if row['what'] == 'epoch':
            times = {rank: [end // MS * MS for _, end in job.epochs[rank]] for rank in range(job.ranks)}
        else:
            times = begins
        late = sum(own - min(of) for own, of in zip(times[rank], zip(*times.values())))
        if int(row['instances']) != len(times[rank]) or abs(int(row['late_ns']) - late) > (error + 1000) * len(times[rank]):
            yield f'machines: {row} is late by {late}'
        if not 0 < error < 20 * MS:  # a collective lasts from the last begin to the end of all, 1 ms
            yield f'machines: a clock is known to {error}'
    for slow in [row for row in rows if row['what'] == 'epoch'][:1]:
        at = job.epochs[job.slow][job.bad_epoch][1] + ahead[0]
        if slow['rank'] != str(job.slow) or abs(int(slow['worst_start_ns']) - at) > int(slow['clock_error_ns']) + MS:
            yield f'machines: {slow}, not rank {job.slow} at {at} by the first clock'


def write(job, folder):
    for rank in range(job.ranks):
        of = folder / f'node{rank}'  # a name that tells no rank
        of.mkdir()
        (of / 'trace.json').write_text(trace((job.kernels[rank], rank)))
        (of / 'train.log').write_text(log(job.epochs[rank]))
        (of / 'calls.txt').write_text(calls(job.reads[rank], 100 + rank))
        for name, more in (('all.db', ['--append'] if rank else []), (f'rank{rank}.db', [])):
            subprocess.run([tracedb_path(), 'import', '-q', '--rank', str(rank), *more, '-o', folder / name, of], check=True)


def tracedb_path():
    return os.path.abspath(os.environ.get('TRACEDB_PLAIN', sys.argv[1]))


def wrong_in_ranks(job, rows, where):
    """All of a rank is in one row, with the time that its collectives took; the one that waits least is the slow one."""
    if [(row['rank'], row['rank_basis'], row['kernels'], row['phases']) for row in rows] != \
            [(str(rank), 'given', str(EPOCHS * STEPS), str(EPOCHS)) for rank in range(job.ranks)]:
        yield f'{where}: ranks: {rows}'
        return
    for row in rows:
        if abs(int(row['collective_ns']) - job.collective_ns(int(row['rank']))) > EPOCHS * STEPS * 1000:
            yield f'{where}: {row["collective_ns"]} ns in collectives, not {job.collective_ns(int(row["rank"]))}'
    if min(rows, key=lambda row: int(row['collective_ns']))['rank'] != str(job.slow):
        yield f'{where}: who waits least is not rank {job.slow}: {rows}'


def wrong_in_stragglers(job, rows):
    epochs = [row for row in rows if row['what'] == 'epoch']
    if len(epochs) != job.ranks or epochs[0]['rank'] != str(job.slow) or not 280 * MS <= int(epochs[0]['worst_ns']) <= 300 * MS:
        yield f'stragglers: rank {job.slow} is late by 300 ms once, the next one by less than 20 ms: {epochs}'
    # in the bad epoch it reads for 40 to 60 ms a step, others for 1 to 3; its GPU idles meanwhile
    for what in ('nccl', 'epoch'):
        causes = {row['rank']: (row['cause'], row['cause_min_ns'] and int(row['cause_min_ns'])) for row in rows if row['what'].startswith(what)}
        if causes[str(job.slow)][0] != 'file read' or not STEPS * 35 * MS <= causes[str(job.slow)][1] <= STEPS * 60 * MS:
            yield f'stragglers: rank {job.slow} idles for reads: {causes}'
        if any(cause for rank, (cause, _) in causes.items() if rank != str(job.slow)):
            yield f'stragglers: others idle for something, too: {causes}'


def wrong_in_slow_rank(job, rows):
    """Which rank, which phase, which cause."""
    first, label = rows[0], f'epoch {job.bad_epoch + 1}'
    if (first['phase'], first['rank'], first['cause']) != (label, str(job.slow), 'file read'):
        yield f'slow_rank.sql: not {label}, rank {job.slow}, file read: {first}'


def wrong_of(folder, sql, seed):
    job = Job(seed)
    write(job, folder)
    databases = [folder / f'rank{rank}.db' for rank in range(job.ranks)]
    yield from wrong_in_ranks(job, table(tracedb_path(), 'report', 'ranks', '-f', 'csv', folder / 'all.db'), 'one database')
    yield from wrong_in_ranks(job, table(tracedb_path(), 'report', 'ranks', '-f', 'csv', '--side-by-side', *databases), 'one each')
    yield from wrong_in_stragglers(job, table(tracedb_path(), 'report', 'stragglers', '-f', 'csv', folder / 'all.db'))
    yield from wrong_in_slow_rank(job, table(tracedb_path(), 'query', '-f', 'csv', *databases, input=sql))


def wrong_by_environment(folder):
    """That of an import within a step: of a trace with two processes it tells the rank of neither."""
    job = Job(0)
    for ranks, want in ((1, [('3', 'environment')]), (2, [('', ''), ('', '')])):
        (folder / 'trace.json').write_text(trace(*((job.kernels[rank], rank) for rank in range(ranks))))
        subprocess.run([tracedb_path(), 'import', '-q', '--force', '-o', 'x.db', 'trace.json'], cwd=folder, check=True,
                       env=os.environ | {'SLURM_PROCID': '3', 'SLURM_STEP_NUM_TASKS': '4'})
        rows = table(tracedb_path(), 'report', 'ranks', '-f', 'csv', folder / 'x.db')
        if [(row['rank'], row['rank_basis']) for row in rows] != want:
            yield f'{ranks} processes, by the environment: {rows}'


def main(sql):
    sql = Path(sql).read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as folder:
        found = list(wrong_by_environment(Path(folder)))
    for seed in range(8):
        with tempfile.TemporaryDirectory() as folder:
            found += [f'seed {seed}: {text}' for text in wrong_of(Path(folder), sql, seed)]
            found += [f'seed {seed}: {text}' for text in wrong_by_machines(Path(folder), seed)]
    print('\n'.join(found))
    return 1 if found else 0


sys.exit(main(sys.argv[2]))
