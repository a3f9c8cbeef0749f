#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two ranks with a GPU each, which add up a tensor by NCCL in step after step, of which now one and now the other comes late: what a recording
with '--cuda --gpu -e cuda' says of collectives, of who came last, and of the traffic between the GPUs, against what the ranks did.

usage: ranks.py TRACEDB FOLDER     FOLDER: is made, keeps what was recorded
       ranks.py job STEPS          both ranks; the last line is JSON
Needs, as python3, one that has PyTorch. A verdict per line; exit 1 if one is WRONG, 77 where there are fewer than two GPUs."""
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

STEPS, RANKS = 60, 2
BYTES = 256 << 20
LATE_S = 0.02
# Rank 1 comes late in two steps of three, rank 0 in the third: each is the last one of a known number of collectives.
LATE = [1, 1, 0]
CLOCK_NS = 20000  # two clocks are compared
wrong = 0


def verdict(holds, text):
    global wrong
    wrong += not holds
    print('ok     ' if holds else 'WRONG  ', text, flush=True)


# --- the job ---

def now():
    return time.time_ns()


def rank(number, steps):
    import torch
    import torch.distributed as dist
    torch.cuda.set_device(number)
    dist.init_process_group('nccl', rank=number, world_size=RANKS, device_id=torch.device('cuda', number))
    a = torch.ones(BYTES // 4, device='cuda')
    said = []
    for step in range(steps):
        # both begin a step at one time, by a barrier that NCCL does not know of
        dist.distributed_c10d._get_default_store().add(f'step{step}', 1)
        while int(dist.distributed_c10d._get_default_store().add(f'step{step}', 0)) < RANKS:
            pass
        if LATE[step % len(LATE)] == number:
            time.sleep(LATE_S)
        begin = now()
        dist.all_reduce(a)
        torch.cuda.synchronize()
        said.append((begin, now()))
    print(json.dumps({'rank': number, 'pid': os.getpid(), 'sum': a[0].item(), 'steps': said}), flush=True)
    dist.destroy_process_group()


def job(steps):
    env = {**os.environ, 'MASTER_ADDR': '127.0.0.1', 'MASTER_PORT': '29531', 'WORLD_SIZE': str(RANKS)}
    ranks = [subprocess.Popen(['python3', __file__, 'rank', str(number), str(steps)], env={**env, 'RANK': str(number), 'LOCAL_RANK': str(number)},
                              stdout=subprocess.PIPE, text=True) for number in range(RANKS)]
    said = [json.loads(process.communicate()[0].splitlines()[-1]) for process in ranks]
    print(json.dumps(said), flush=True)


# --- the check ---

def report(tracedb, db, name):
    done = subprocess.run([tracedb, 'report', name, '-f', 'json', db], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def lasts(rows, what):
    """The last one of a collective is the rank that slept before it."""
    for row in rows:
        late = sum(LATE[step % len(LATE)] == row['rank'] for step in range(STEPS))
        verdict(row['matched'] == STEPS and abs(row['last'] - late) <= 1, f"{what}: rank {row['rank']} of pid {row['pid']} is the last in {row['last']} of"
                f" {row['matched']} collectives; it slept before {late} of {STEPS}")
        mean = row['late_ns'] / max(row['last'], 1) / 1e6
        verdict(abs(mean - 1000 * LATE_S) <= 2, f'{what}: and then by {mean:.2f} ms on average ({1000 * LATE_S:.0f} asleep)')


def kernels(con, said):
    """One kernel of NCCL a step, between the times that the rank took around it; both are UTC, ours by way of the clock since boot."""
    for who in said:
        ops = con.execute("SELECT g.start_ns, g.start_ns + g.dur_ns FROM gpu_op AS g JOIN string AS n ON n.id = g.name_id JOIN process AS p ON p.id = g.process_id "
                          "WHERE n.text LIKE 'nccl%AllReduce%' AND p.pid = ? ORDER BY 1", (who['pid'],)).fetchall()
        verdict(len(ops) == STEPS, f"rank {who['rank']}: {len(ops)} kernels of {STEPS} all-reduces")
        out = [max(begin - start, stop - end) for (start, stop), (begin, end) in zip(ops, who['steps'])]
        verdict(out and max(out) <= CLOCK_NS, f"rank {who['rank']}: each lies between the times taken around it (beyond them by {max(out, default=0) / 1000:.1f} us at most)")


def links(con):
    """Two ranks: each sends, and receives, as many bytes as the tensor has (2 (n - 1) / n of it, NCCL's "Performance" page)."""
    rows = con.execute("SELECT d.number, t.name, t.unit, sum(s.value * s.dur_ns) / 1e3, max(s.value) FROM sample AS s JOIN track AS t ON t.id = s.track_id "
                       "JOIN device AS d ON d.id = t.device_id WHERE t.name IN ('gpu.rxnvl', 'gpu.txnvl') GROUP BY t.id ORDER BY 1, 2").fetchall()
    if not rows:
        print('facts   the driver tells nothing of NVLink')
    for number, name, unit, moved, most in rows:
        print(f'facts   GPU {number} {name}: {moved / 1e9:.2f} GB, {most:.0f} {unit} at most')
        verdict(STEPS * BYTES <= moved <= 1.1 * STEPS * BYTES, f'GPU {number} {name}: {moved / (STEPS * BYTES):.3f} of the {STEPS * BYTES / 1e9:.2f} GB that the collectives move'
                ' (1 .. 1.1)')


def main(tracedb, folder):
    gpus = len(subprocess.run(['nvidia-smi', '-L'], capture_output=True, text=True, check=False).stdout.splitlines()) if os.path.exists('/dev/nvidiactl') else 0
    if gpus < RANKS:
        print(f'{gpus} GPUs on this machine')
        return 77
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    db = folder / 'ranks.db'
    done = subprocess.run([tracedb, 'record', '--cuda', '--gpu', '-e', 'file_io,cuda', '-o', db, '--force', '--', 'python3', __file__, 'job', str(STEPS)],
                          stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    con = sqlite3.connect(db)
    kernels(con, said)
    lasts([row for row in report(tracedb, db, 'nccl') if 'AllReduce' in row['collective']], 'kernels')
    calls = [row for row in report(tracedb, db, 'nccl_calls') if row['collective'] == 'ncclAllReduce']
    verdict({row['rank'] for row in calls} == set(range(RANKS)), f"calls of ranks {[row['rank'] for row in calls]}")
    verdict(all(row['calls'] == STEPS and row['bytes'] == STEPS * BYTES for row in calls), f"of {[(row['calls'], row['bytes']) for row in calls]}: {STEPS} of {BYTES} bytes each")
    lasts(calls, 'calls')
    links(con)
    print(f'{wrong} wrong')
    return 1 if wrong else 0


if sys.argv[1] == 'job':
    job(int(sys.argv[2]))
elif sys.argv[1] == 'rank':
    rank(int(sys.argv[2]), int(sys.argv[3]))
else:
    sys.exit(main(*sys.argv[1:]))
