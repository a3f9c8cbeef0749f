#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trainings (training.py) with two or three faults at once (those of savings.py). The run without one of them tells what that one costs beside the
others. The first finding, and so the first of overview, is about the fault that costs most; gpu_idle and the rule of each fault say that at least
as much can be saved as it costs.

usage: several.py TRACEDB [RUNS]    the program in $TRACEDB_PLAIN, if that is set, is asked of all runs"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from savings import CAUSES, RULES, found_by, usage  # noqa: E402 (found by the line above)
from training import MS, SEC, Training  # noqa: E402

# What idle time is put down to while the fault is in progress; of two that are the same only one.
SHOWS = {rule: {cause} for rule, cause in CAUSES.items() if rule != 'cpu_saturated'} | {'small_kernels': {'launching operators', 'CUDA call'}}
OF_ONE_RANK = {'lock_contention', 'preempted'}
# A fault is the largest if it costs so many times what each of the others does, alone and beside them.
LARGER = 1.5


def together(seed, faults):
    """Each by chances of its own: it is the same with the others and without."""
    by_place = {}
    for rule, fault in faults.items():
        for place, pieces in fault.items():
            by_place.setdefault(place, []).append((pieces, random.Random(f'{seed} {rule}')))
    return {place: lambda _, rank, step, all_of=all_of: [piece for pieces, r in all_of for piece in pieces(r, rank, step)] for place, all_of in by_place.items()}


class Case:
    def __init__(self, seed):
        r = random.Random(seed)
        self.seed, self.rules = seed, r.sample(list(SHOWS), r.choice([2, 3]))
        self.faults = {rule: RULES[rule][0](r.choice([1, 2, 4])) for rule in self.rules}
        self.options = {key: value for rule in self.rules for key, value in RULES[rule][1].items()}
        if OF_ONE_RANK & set(self.rules):   # the other one waits for it, which is a cause of its own
            self.options['nranks'] = 1
        self.run = self.play(self.rules)
        usage(self.run)
        self.idle_ns = self.run.idle_ns()
        none = self.play([]).idle_ns()
        self.beside = {rule: self.idle_ns - self.play([x for x in self.rules if x != rule]).idle_ns() for rule in self.rules}
        self.alone = {rule: self.play([rule]).idle_ns() - none for rule in self.rules}

    def play(self, rules):
        return Training(self.seed, together(self.seed, {rule: self.faults[rule] for rule in rules}), **self.options)

    def largest(self):
        """None where it is hard to say."""
        most, *rest = sorted(self.rules, key=lambda rule: -self.beside[rule])
        if self.beside[most] < self.idle_ns / 2:
            return None
        return most if all(costs[most] > LARGER * costs[rule] for rule in rest for costs in (self.beside, self.alone)) else None


def is_about(found, rule):
    return found['rule'] == rule or found['rule'] == 'gpu_idle' and found['evidence']['cause'] in SHOWS[rule]


def check(tracedb, folder, case):
    case.run.write(folder)
    subprocess.run([tracedb, 'import', '-q', '-o', f'{folder}.db', folder], check=True)
    all_of = json.loads(subprocess.run([tracedb, 'analyze', '-f', 'json', f'{folder}.db'], capture_output=True, text=True, check=True).stdout)
    most = case.largest()
    if most:
        if not is_about(all_of[0], most):
            yield f'the first is {all_of[0]["finding"]}, but {most} costs most'
        page = subprocess.run([tracedb, 'report', 'overview', f'{folder}.db'], capture_output=True, text=True, check=True).stdout
        if all_of[0]['finding'] not in next(line for line in page.splitlines() if line.startswith('1. ')):
            yield 'overview has another one first'
    idle = {found['evidence']['cause']: found['saves_ns'] for found in found_by(tracedb, folder, 'gpu_idle', '--rule', 'gpu_idle', '--param', 'gpu_idle:min_pct=0')}
    for rule in case.rules:
        saves = [found['saves_ns'] for found in all_of if found['rule'] == rule]
        if saves and case.beside[rule] > max(saves) + MS:
            yield f'{rule}: saves {max(saves) / SEC:.3f} s at most, costs {case.beside[rule] / SEC:.3f} s'
        if case.beside[rule] > max(idle.get(cause, 0) for cause in SHOWS[rule]) + MS:
            yield f'{rule}: gpu_idle does not save the {case.beside[rule] / SEC:.3f} s that it costs'


def main(tracedb, runs=10):
    tracedb, failed, clear = os.environ.get('TRACEDB_PLAIN', os.path.abspath(tracedb)), 0, 0
    os.environ['TZ'] = 'UTC'
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(runs)):
            case = Case(seed)
            clear += case.largest() is not None
            for what in check(tracedb, Path(scratch) / str(seed), case):
                print(f'run {seed}, {", ".join(f"{rule} {case.beside[rule] / SEC:.2f} s" for rule in case.rules)}: {what}')
                failed += 1
    print(f'{runs} runs, of {clear} it is clear which fault costs most; {failed} wrong')
    return failed > 0 or 3 * clear < int(runs)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
