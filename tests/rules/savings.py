#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What rules say that can be saved at most, held against what a planted fault cost: a training (training.py) with the fault, and the same one without.
A rule finds its fault, and not in the run without; says as many calls, and as much time, as were planted; and what the fault cost is no more
than 'saves at most', for some rules also where GPUs are only sampled. Where events were lost its confidence is not high.

usage: savings.py TRACEDB [SEEDS [RULE...]]     each rule: one run with a fault of one size; where there are more SEEDS so many of each of three sizes"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from training import MS, SEC, US, Piece, Training, plant  # noqa: E402 (found by the line above)

ROOT = Path(__file__).resolve().parents[2]


def calls(n, name, us, path, ret=0, **more):
    """So many calls that are not in the run without."""
    return lambda r, rank, step: [plant('call', round(us * US * r.uniform(0.7, 1.3)), name=name, path=path, ret=ret, **more) for _ in range(n)]


def cuda(n, name, us, work=(), waits=False):
    return lambda r, rank, step: [plant('cuda', round(us * US * r.uniform(0.7, 1.3)), name=name, work=work, waits=waits) for _ in range(n)]


def at_steps(which, of):
    return lambda r, rank, step: of(r, rank, step) if which(step) else []


def from_disk(queue_ms, service_ms, size, is_fault=True):
    """A read that waits for the disk; without the fault it does so for a tenth of a millisecond, or for no other request."""
    def pieces(r, rank, step):
        queue, service = (round(ms * MS * r.uniform(0.8, 1.2)) for ms in (queue_ms, service_ms))
        return [Piece('call', queue + service, (queue or service - MS // 10) if is_fault else 0, name='read', path=f'/data/cold_{step}.npy', ret=size,
                      disk=(queue, service, size))]
    return pieces


def faults_of_pages(n, us):
    return lambda r, rank, step: [plant('compute', round(us * US * r.uniform(0.7, 1.3)), disk=(0, 0, 4096)) for _ in range(n)]


def random_reads(n, us):
    return lambda r, rank, step: [plant('call', round(us * US * r.uniform(0.7, 1.3)), name='read', path=f'/data/big_{rank.number}.bin', ret=65536,
                                        offset=r.randrange(1, 10**6) * 65537) for _ in range(n)]


def copies(n, us, kind, size, name='cudaMemcpyAsync', waits=False):
    return cuda(n, name, us, ('gpu_memcpy', f'Memcpy HtoD ({kind} -> Device)', size // 20000 + 1000, size), waits)


def launches(n):
    """Small kernels, each by an operator of its own: without, all of them are one graph."""
    def pieces(r, rank, step):
        for _ in range(n):
            yield plant('operator', r.randrange(8, 12) * US, name='aten::add')
            yield plant('cuda', r.randrange(4, 8) * US, name='cudaLaunchKernel', work=('kernel', 'add', 3 * US, 0))
    return pieces


def of_one_rank(pieces):
    return lambda r, rank, step: pieces(r, rank, step) if rank.number == 0 else []


# rule: what is planted at each size, and options of the training; the evidence that has to be what was planted: column, and which number of it
RULES = {
    'small_reads': (lambda s: {'read': calls(60 * s, 'read', 60, '/data/small.bin', 4096)}, {}, {'calls': 'read', 'total_ns': ('read', 'ns')}),
    'random_reads': (lambda s: {'read': random_reads(30 * s, 200)}, {}, {'random': 'read', 'total_ns': ('read', 'ns')}),
    'slow_reads': (lambda s: {'read': at_steps(lambda step: step == 30, calls(1, 'read', 1.7e6 * s, '/data/case_001.npy', 4096))}, {'steps': 120},
                   {'max_ns': ('read', 'most')}),
    'reopened_files': (lambda s: {'open': calls(30 * s, 'openat', 100, '/data/all.h5', 3)}, {}, {'opens': 'openat', 'total_ns': ('openat', 'ns')}),
    'metadata_time': (lambda s: {'open': calls(40 * s, 'newfstatat', 120, '/data/list.txt')}, {}, {}),
    'failed_opens': (lambda s: {'open': calls(40 * s, 'openat', 80, '/opt/missing.py', -2)}, {}, {'errors': 'openat'}),
    'small_writes': (lambda s: {'log': calls(40 * s, 'write', 90, '/out/metrics.csv', 100)}, {}, {'calls': 'write', 'total_ns': ('write', 'ns')}),
    'sync_time': (lambda s: {'log': calls(1, 'fsync', 4000 * s, '/out/state.bin')}, {}, {'calls': 'fsync', 'total_ns': ('fsync', 'ns')}),
    'synced_logs': (lambda s: {'log': of_one_rank(lambda r, rank, step: [p for _ in range(2 * s) for part in (calls(2, 'write', 40, '/out/train.log', 80),
                                                            calls(1, 'fsync', 900, '/out/train.log')) for p in part(r, rank, step)])}, {},
                    {'writes': 'write', 'syncs': 'fsync'}),
    'disk_busy': (lambda s: {'read': from_disk(0, 40 * s, 4 << 20)}, {'nloaders': 1}, {}),
    'disk_latency': (lambda s: {'read': lambda r, rank, step: [*from_disk(0, 0.1, 65536, False)(r, rank, step), *from_disk(0, 80 * s, 65536)(r, rank, step)]},
                     {}, {'slow': 'read'}),
    'disk_queue': (lambda s: {'read': lambda r, rank, step: [*from_disk(3 * s, 1, 65536)(r, rank, step), *from_disk(3 * s, 1, 65536)(r, rank, step)]}, {},
                   {'waited': 'read'}),
    'epochs_from_disk': (lambda s: {'read': at_steps(lambda step: step >= 20, from_disk(0, 10 * s, 8 << 20))}, {}, {}),
    'first_epoch_slow': (lambda s: {'read': at_steps(lambda step: step < 20, from_disk(0, 30 * s, 4 << 20))}, {}, {}),
    'major_faults': (lambda s: {'read': faults_of_pages(40 * s, 300)}, {'nloaders': 1}, {}),
    'cuda_memory': (lambda s: {'launch': cuda(2 * s, 'cudaMalloc', 400)}, {}, {'calls': 'cudaMalloc', 'total_ns': ('cudaMalloc', 'ns')}),
    'device_syncs': (lambda s: {'launch': cuda(3 * s, 'cudaDeviceSynchronize', 5, waits=True)}, {}, {'calls': 'cudaDeviceSynchronize'}),
    'sync_copies': (lambda s: {'launch': copies(8 * s, 15, 'Pinned', 4, 'cudaMemcpy', True)}, {}, {'calls': 'cudaMemcpy'}),
    'pageable_copies': (lambda s: {'copy': copies(2, 2000 * s, 'Pageable', 4 << 20)}, {}, {'copies': 'cudaMemcpyAsync'}),
    'small_copies': (lambda s: {'copy': copies(40 * s, 25, 'Pinned', 1024)}, {}, {'small': 'cudaMemcpyAsync'}),
    'small_kernels': (lambda s: {'launch': launches(150 * s)}, {'kernel_ns': 400 * US}, {}),
    'lock_contention': (lambda s: {'log': of_one_rank(calls(300 * s, 'futex', 20, None))}, {'decode_ns': MS, 'kernel_ns': 3 * MS}, {'calls': 'futex', 'total_ns': ('futex', 'ns')}),
    'preempted': (lambda s: {'decode': of_one_rank(lambda r, rank, step: [plant('runnable', r.randrange(200, 400) * US) for _ in range(30 * s)])}, {'nloaders': 1}, {}),
    'cpu_saturated': (lambda s: {'open': lambda r, rank, step: [plant('runnable', r.randrange(200, 400) * US) for _ in range(20 * s)]}, {'idle_pct': (3, 40)}, {}),
    'thread_bound': (lambda s: {'decode': of_one_rank(lambda r, rank, step: [plant('compute', r.randrange(80, 120) * s * MS)])}, {'nloaders': 1, 'steps': 60}, {}),
    'loaders_uneven': (lambda s: {'read': of_one_rank(at_steps(lambda step: step % 2, calls(1, 'read', 30000 * s, '/data/large.npy', 4096)))},
                       {'nloaders': 2}, {}),
    'gpu_gaps': (lambda s: {'log': at_steps(lambda step: step == 25, calls(1, 'write', 700000 * s, '/out/checkpoint.pt', 1 << 30))}, {}, {}),
    'gpu_time_util': (lambda s: {'decode': at_steps(lambda step: 20 <= step < 40, lambda r, rank, step: [plant('compute', r.randrange(150, 250) * s * MS)])}, {}, {}),
    'gpu_idle': (lambda s: {'decode': lambda r, rank, step: [plant('compute', r.randrange(8, 12) * s * MS)]}, {}, {}),
}
# Which cause of idle time (view gpu_idle_cause) the fault is: rule gpu_idle must not save less than it cost, either.
CAUSES = {'small_reads': 'file read', 'disk_latency': 'disk read', 'small_writes': 'file write', 'metadata_time': 'other file I/O', 'gpu_idle': 'loader computing',
          'preempted': 'waiting for a CPU', 'cpu_saturated': 'waiting for a CPU', 'cuda_memory': 'CUDA call', 'small_kernels': 'launching operators', 'lock_contention': 'lock, queue or pipe'}
# What is left of the run without is a finding, too: GPUs idle for other reasons.
ANYWAY = {'gpu_idle', 'small_kernels'}


# Of these it is held, too, what is said if GPUs are sampled: nothing that stands on their kernels; and there are ranges instead of numbers.
SAMPLED = ('small_reads', 'disk_latency', 'major_faults', 'thread_bound', 'cpu_saturated', 'gpu_gaps', 'gpu_time_util', 'gpu_idle')


def findings(tracedb, folder, run, rule, sampled=False):
    (run.write_sampled if sampled else run.write)(folder)
    subprocess.run([tracedb, 'import', '-q', '--force', '-o', f'{folder}.db', folder], check=True)
    return found_by(tracedb, folder, rule)


def found_by(tracedb, folder, rule, *options):
    done = subprocess.run([tracedb, 'analyze', *options, '-f', 'json', f'{folder}.db'], capture_output=True, text=True, check=True)
    return [found for found in json.loads(done.stdout) if found['rule'] == rule]


def usage(run):
    """What the recorder would have told of CPU time, switches and page faults when it ended."""
    for rank in run.ranks:
        for n in range(run.nloaders):
            tid = rank.pid + 1 + n
            run.out.usage(tid, run.end, sum(b - a for a, b in rank.runs[tid]), run.preempted[tid])
            if run.page_faults[tid]:
                run.out.sample(tid, 'faults.major', run.end, run.end, run.page_faults[tid] * SEC / run.end)
    for end in range(100 * MS, run.end, 100 * MS) if run.idle_pct else ():
        run.out.sample(0, 'cpu.idle', end, 100 * MS, run.idle_pct[not run.with_fault], '%')


def check(tracedb, scratch, rule, size, seed, ratios):
    make, options, evidence = RULES[rule]
    ill, well = (Training(seed, make(size), with_fault, **options) for with_fault in (True, False))
    folder = Path(scratch) / f'{rule}-{size}-{seed}'
    for run in ill, well:
        usage(run)
    found = findings(tracedb, folder, ill, rule)
    if rule not in ANYWAY and findings(tracedb, Path(f'{folder}-well'), well, rule):
        yield 'found in the run without'
    if not found:
        yield 'not found'
        return
    for column, what in evidence.items():
        said = sum(f['evidence'][column] for f in found)
        if said != ill.counted[what] and max(f['evidence'][column] for f in found) != ill.counted[what]:
            yield f'{column}: {said}, planted {ill.counted[what]}'
    cost, said = ill.idle_ns() - well.idle_ns(), max(f['saves_ns'] for f in found)
    ratios.append((rule, size, seed, cost, said, ill.idle_ns(), len(ill.ranks)))
    if cost > said + MS:
        yield f'saves {said / SEC:.3f} s at most, cost {cost / SEC:.3f} s of {ill.idle_ns() / SEC:.3f} s idle'
    if rule in CAUSES:
        idle = found_by(tracedb, folder, 'gpu_idle', '--rule', 'gpu_idle', '--param', 'gpu_idle:min_pct=0')
        said = [f['saves_ns'] for f in idle if f['evidence']['cause'] == CAUSES[rule]]
        if not said or cost > said[0] + MS:
            yield f'{CAUSES[rule]}: saves {said} ns at most, cost {cost}'
    if rule in SAMPLED:
        found = findings(tracedb, Path(f'{folder}-sampled'), ill, rule, True)
        said = max((f['saves_ns'] for f in found if f['saves_ns']), default=0)
        if cost > said + MS:
            yield f'sampled: saves {said / SEC:.3f} s at most, cost {cost / SEC:.3f} s of {ill.idle_ns() / SEC:.3f} s idle'
    ill.out.loss(0, ill.end, 5)
    lost = findings(tracedb, Path(f'{folder}-lost'), ill, rule)
    if not lost or any(f['confidence'] == 'high' for f in lost):
        yield f'events were lost: {[f["confidence"] for f in lost]}'


def main(tracedb, seeds=1, *rules):
    tracedb, failed, ratios = os.environ.get('TRACEDB_PLAIN', os.path.abspath(tracedb)), 0, []
    os.environ['TZ'] = 'UTC'
    with tempfile.TemporaryDirectory() as scratch:
        for rule in rules or RULES:
            for seed in range(int(seeds)):
                for size in (1, 2, 3) if int(seeds) > 1 else (1 + len(rule) % 3,):
                    for what in check(tracedb, scratch, rule, size, seed, ratios):
                        print(f'{rule}, size {size}, seed {seed}: {what}')
                        failed += 1
    for rule in rules or RULES:
        of = sorted(said / max(cost, MS) for name, _, _, cost, said, _, _ in ratios if name == rule)
        if of:
            print(f'{rule}: said by cost {of[0]:.2f} .. {of[len(of) // 2]:.2f} .. {of[-1]:.2f}')
    print(f'{len(ratios)} runs, {failed} wrong')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
