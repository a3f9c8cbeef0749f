#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training run with known gaps on the GPU of this machine, beside every sampler and 'tracedb record --gpu': what is said of the
GPU must hold against the kernels that PyTorch's profiler saw, for each sampler alone and for all together.

usage: live.py TRACEDB FOLDER [SECONDS]     FOLDER keeps what was recorded; SECONDS: of each epoch
Needs nvidia-smi and, as python3, one that has PyTorch. Prints a verdict per line, and how the tools sampled; exit 77 where there is
no GPU. Estimates may be outside of their 95 %: they take it that the load is not in step with the sampler, and epoch 5 is."""
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from truth import SEC, build, kernels_of, rows

SAMPLERS = {
    'gpu.out': ['nvidia-smi', 'pmon', '-s', 'um', '-o', 'DT'],
    'dmon.out': ['nvidia-smi', 'dmon', '-s', 'pucvmet', '-o', 'DT'],
    'query_gpu.csv': ['nvidia-smi', '--query-gpu=timestamp,index,utilization.gpu,utilization.memory,memory.used,power.draw',
                      '--format=csv', '-l', '1'],
}
RECORDED = 'recorded.db.spool'
MS = SEC // 1000  # what the log's times are printed to


class Sampler:
    """A tool whose lines are kept with the times at which they came."""

    def __init__(self, path, command):
        self.path, self.lines = path, []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.time_ns(), line))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        self.path.write_text(''.join(line for _, line in self.lines))
        Path(f'{self.path}.arrived.json').write_text(json.dumps(self.lines))


def record(tracedb, folder, seconds):
    here = Path(__file__).parent
    samplers = [Sampler(folder / name, command) for name, command in SAMPLERS.items()]
    time.sleep(2)
    subprocess.run([tracedb, 'record', '--gpu', '-o', folder / 'recorded.db', '--no-import', '--',
                    'python3', here / 'training.py', folder, str(seconds)], check=True)
    time.sleep(2)
    for sampler in samplers:
        sampler.stop()


def check(what, db, busy):
    """Whether each stated range holds; a line for each."""
    failed, found = 0, set()
    for label, gpu, basis, wall, said in rows(db, busy, slack_ns=MS):
        true, low, high, holds = said['busy']
        if (label, gpu) in found:  # a phase that occurs once is its own total
            continue
        found.add((label, gpu))
        failed += not holds and basis != 'estimate'
        verdict = 'ok' if holds else 'outside' if basis == 'estimate' else 'WRONG'
        print(f'{verdict:7} {what:16} GPU {gpu} {label:8} {basis:8}'
              f' busy {true / SEC:7.3f} of {wall / SEC:7.3f} s, said {low / SEC:7.3f} .. {high / SEC:7.3f}')
    if not found:
        print(f'WRONG   {what:16} says nothing')
    return failed or not found


def buffered(db, busy):
    """How far the driver's own samples are from the kernels, in points."""
    apart = [abs(value - 100 * busy[0].within([(end - length, end)]) / length) for end, length, value in db.execute(
        "SELECT ts_ns, dur_ns, value FROM sample JOIN track AS t ON t.id = track_id"
        " WHERE t.name = 'gpu.sm' AND t.process_id IS NULL AND value IS NOT NULL AND dur_ns > 0")]
    if apart:
        print(f"facts   the driver's samples: {len(apart)}, {sum(apart) / len(apart):.2f} points from the kernels on average, {max(apart):.2f} at most")


def stamp_and_value(line, name):
    """When a line says that it is of, in ns, and the utilisation of the GPU; None: not such a line."""
    stamp, column = (r'(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)\.(\d{3})', 2) if name.endswith('.csv') else (r'(\d{8} +\d\d:\d\d:\d\d)()', None)
    at = re.search(stamp, line)
    if not at:
        return None
    cells = line.split(',') if column else line.split()
    value = cells[column] if column else cells[{'gpu.out': 5, 'dmon.out': 6}[name]]
    whole = time.strptime(' '.join(at[1].split()), '%Y/%m/%d %H:%M:%S' if column else '%Y%m%d %H:%M:%S')
    digits = re.search(r'\d+', value)
    return int(time.mktime(whole)) * SEC + int(at[2] or 0) * 10**6, int(digits[0]) if digits else None


def printed(folder, name, busy):
    """How a tool stamps its lines, and the interval before a line that its numbers are nearest to."""
    lines = [(arrived, *parsed) for arrived, line in json.loads((folder / f'{name}.arrived.json').read_text())
             if (parsed := stamp_and_value(line, name))]
    gaps = sorted(b[0] - a[0] for a, b in zip(lines, lines[1:]))
    late = [arrived - stamp for arrived, stamp, _ in lines]
    valued = [(arrived, value) for arrived, _, value in lines if value is not None]

    def apart(length, ago):
        return [abs(value - 100 * busy[0].within([(at - ago - length, at - ago)]) / length) for at, value in valued]

    windows = [(length * MS, ago * MS) for length in (50, 100, 150, 200, 300, 500, 1000, 1300, 1600, 2000) for ago in range(0, 500, 50)]
    length, ago = min(windows, key=lambda window: sum(apart(*window)))
    off, second = apart(length, ago), apart(SEC, 0)
    print(f'facts   {name}: a line every {gaps[len(gaps) // 2] / SEC:.3f} s, {min(late) / SEC:.2f} .. {max(late) / SEC:.2f} s after its stamp;'
          f' nearest to {length / SEC:.2f} s that ended {ago / SEC:.2f} s before the line ({sum(off) / len(off):.1f} points off on average,'
          f' {max(off):.0f} at most; as the mean of its second {sum(second) / len(second):.1f} and {max(second):.0f})')


def verify(tracedb, folder):
    busy = kernels_of(folder / 'kineto.json.gz')
    named = [*SAMPLERS, RECORDED]
    sets = {**{name: [name] for name in named}, 'all': named, 'kernels': ['kineto.json.gz'], 'all and kernels': [*named, 'kineto.json.gz']}
    for name in SAMPLERS:
        printed(folder, name, busy)
    failed = 0
    for i, (what, names) in enumerate(sets.items()):
        run = folder / f'import{i}'
        run.mkdir()
        for name in [*names, 'train.log']:
            shutil.copy(folder / name, run)
        db = build(tracedb, run)
        failed += check(what, db, busy)
        if what == RECORDED:
            buffered(db, busy)
        shutil.rmtree(run)
    return failed


def main(tracedb, folder, seconds=12):
    folder = Path(folder)
    if not shutil.which('nvidia-smi') or subprocess.run(['nvidia-smi', '-L'], capture_output=True, check=False).returncode:
        print('no GPU on this machine')
        return 77
    print(subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], capture_output=True, text=True,
                         check=True).stdout.strip())
    if not (folder / 'kineto.json.gz').exists():
        folder.mkdir(parents=True)
        record(tracedb, folder, seconds)
    failed = verify(tracedb, folder)
    print(f'{failed} wrong')
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
