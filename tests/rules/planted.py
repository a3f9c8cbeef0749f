#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules on runs with known faults: the simulated training of examples/stall without any, and then with one at a time. A healthy
run has no finding above 'info'; of the others the rules find what was planted, and nothing else.

What a fault costs is known, too: by how much longer the GPUs idle than in the healthy run. No rule that is about it says that less can be
saved at most, and none says more than what the planted calls or requests took, times the GPUs.

usage: planted.py TRACEDB"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the example
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "examples", "stall"))

import generate  # noqa: E402 (found by the line above)

NONE_LOST = {"vfs_rw.out": (0, 0), "open.out": (0,)}
LOST = generate.LOST
STALL_NS = generate.STALL_NS
MS = generate.MS


def text_parents(_, lines, truth):
    """ps -ef, which says whose loader a loader is: that of one GPU keeps the other one only by its worker."""
    lines.append("UID          PID    PPID  C STIME TTY          TIME CMD")
    parents = [(generate.LAUNCHER, 1)] + [(pid, generate.LAUNCHER) for pid in generate.WORKERS]
    parents += list(zip(generate.LOADERS, generate.WORKERS))
    for pid, parent in parents:
        lines.append("root     %d %d  0 %s pts/0    00:00:41 %s %s" % (pid, parent, format(generate.local(0), "%H:%M"),
                                                                    generate.PYTHON, generate.MAIN))
    truth.source("pids.out")


class Run(generate.Run):
    def __init__(self, faults, epochs):
        super().__init__()
        self.faults, self.epochs = faults, epochs
        self.spent_ns = 0  # the planted calls and requests

    def fault(self, name):
        return self.faults.get(name, 0)

    def open(self, t, pid, path, found=True):
        if not path.startswith(generate.DATA):
            return super().open(t, pid, path, found)
        for i in range(self.fault("missing")):  # a search path, on a server that is far away
            self.opens.append(generate.Call(t, 16 * MS, pid, "openat", "/data%d%s" % (i, path)))
            t += 16 * MS
            self.spent_ns += 16 * MS
        for _ in range(self.fault("again")):
            self.opens.append(generate.Call(t, 16 * MS, pid, "openat", path))
            t += 16 * MS
            self.spent_ns += 16 * MS
        end = super().open(t, pid, path, found)
        open_ns = self.fault("open_ns")
        if open_ns:
            self.opens[-1].dur += open_ns
            self.spent_ns += self.opens[-1].dur
        return end + open_ns

    def hand_over(self, t, pid, worker, number):
        for _ in range(self.fault("written")):  # a cache of samples, on a server
            super().rw_call(t, pid, "W", "cache.bin", 512, 4 * MS)
            t += 4 * MS
            self.spent_ns += 4 * MS
        return super().hand_over(t, pid, worker, number)

    def rw_call(self, t, pid, func, name, size, dur, ret=None, comm="python"):
        if not self.fault("pieces") or not name.endswith("_x.npy") or size <= 4096:
            return super().rw_call(t, pid, func, name, size, dur, ret, comm)
        for _ in range(self.fault("pieces")):  # instead of one long read
            super().rw_call(t, pid, func, name, 4096, 4 * MS)
            t += 4 * MS
            self.spent_ns += 4 * MS
        return t

    def load_file(self, t, pid, path, size, cold, hang=0):
        self.spent_ns += hang
        first = len(self.blocks)
        end = super().load_file(t, pid, path, size, self.fault("cold") == "always" or cold and self.fault("cold"), hang)
        self.spent_ns += sum(block.dur for block in self.blocks[first:])
        return end

    def block_io(self, t, pid, size, write=0, comm="python"):
        first = len(self.blocks)
        end = super().block_io(t, pid, size, write, comm)
        if not self.fault("slow_disk"):  # an SSD instead of a disk that is far away
            for block in self.blocks[first:]:
                block.dur //= 100
            end = t + (end - t) // 100
        return end

    def epoch(self, t, number):
        t = super().epoch(t, number)
        return self.epoch(t + 3 * MS, number + 1) if 2 <= number < self.epochs else t

    def idle_ns(self):
        """How long the GPUs have nothing to do from the begin of training to its end."""
        begin, end = self.phases["run"]
        return sum(end - begin - generate.busy_ns(intervals, begin, end) for intervals in self.busy)


def simulate(faults):
    """The run with faults, by name: 'cold' files in the first epoch, or 'always', on a 'slow_disk'; reads or opens that take
    'stall_ns' or 'open_ns'; so many opens of what is 'missing', or of the same file 'again'; so many reads ('pieces') or writes
    ('written') in place of one."""
    generate.STALL_NS = faults.get("stall_ns", 0)
    return Run(faults, faults.get("epochs", 2)).play()


def play(faults):
    """Writes the logs of the run into the current folder, and returns it."""
    run = simulate(faults)
    generate.LOST = faults.get("lost", NONE_LOST)
    run.stall = run.stall or ("", 0, 0, 0)  # the truth wants one
    truth = generate.Truth(run)
    for name, printer in dict(generate.PRINTERS, **({"pids.out": text_parents} if "parents" in faults else {})).items():
        lines = []
        printer(run, lines, truth)
        with open(name, "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in lines if line != "Lost 0 events"))
    return run


# name, what is planted, which rules have to find something above 'info', and which are about all of it: gpu_gaps has only what is longest,
# epochs_from_disk not the first epoch
COLD = {"gpu_idle", "gpu_gaps", "gpu_time_util", "disk_latency"}
STALLED = {"slow_reads", "loaders_uneven", "gpu_gaps"}
OPENED = {"gpu_idle", "metadata_time"}
WRITTEN = {"gpu_idle", "small_writes"}
PIECES = {"gpu_idle", "small_reads"}
CASES = (
    ("healthy", {}, set(), set()),
    ("cold", {"cold": True, "slow_disk": True}, COLD, {"gpu_idle", "disk_latency"}),
    # the loader that waits has more of the time
    ("stall", {"stall_ns": STALL_NS}, STALLED, {"slow_reads", "loaders_uneven"}),
    ("stall of a rank", {"stall_ns": STALL_NS, "parents": True}, STALLED, {"slow_reads", "loaders_uneven"}),
    ("slow opens", {"open_ns": 400 * MS}, OPENED, OPENED),
    ("slow opens of ranks", {"open_ns": 400 * MS, "parents": True}, OPENED, OPENED),
    ("slow opens, cold", {"open_ns": 400 * MS, "cold": True}, OPENED, OPENED),
    ("search path", {"missing": 20}, OPENED, OPENED),
    ("pieces", {"pieces": 200}, PIECES, PIECES),
    ("pieces of ranks", {"pieces": 200, "parents": True}, PIECES, PIECES),
    ("opened again", {"again": 24}, OPENED | {"reopened_files"}, OPENED | {"reopened_files"}),
    ("written in pieces", {"written": 200}, WRITTEN, WRITTEN),
    ("first epoch", {"cold": True, "slow_disk": True, "epochs": 4}, COLD, {"gpu_idle", "disk_latency", "first_epoch_slow"}),
    ("never cached", {"cold": "always", "slow_disk": True, "epochs": 3}, COLD | {"disk_busy", "epochs_from_disk"},
     {"gpu_idle", "disk_latency", "disk_busy"}),
    ("lost", {"lost": LOST}, {"events_lost"}, set()),
)


def wrong_saves(found, rules, lost_ns, most_ns):
    """What the rules say that can be saved at most, where that cannot be."""
    for rule in sorted(rules):
        saves = [f["saves_ns"] for f in found if f["rule"] == rule]
        if not saves or None in saves or not lost_ns <= max(saves) <= most_ns:
            yield "%s saves %s ns at most; the fault cost %d ns, and what was planted took %d ns" % (rule, saves, lost_ns, most_ns)


def main():
    tracedb = os.path.abspath(sys.argv[1])
    failed = 0
    for i, (name, faults, want, about) in enumerate(CASES):
        with tempfile.TemporaryDirectory() as tmp:
            os.mkdir(os.path.join(tmp, "run"))
            os.chdir(os.path.join(tmp, "run"))
            run = play(faults)
            os.chdir(tmp)
            subprocess.run([tracedb, "import", "-q", "run"], check=True)
            done = subprocess.run([tracedb, "analyze", "-f", "json", "--fail-on", "warning", "run.db"], capture_output=True, text=True,
                                  check=False)
            looked = json.loads(done.stdout)
            found = [f for f in looked if f["level"] != "info"]
            ok = {f["rule"] for f in found} == want and done.returncode == bool(want)
            os.chdir(ROOT)
        lost_ns = run.idle_ns() - simulate({"epochs": run.epochs}).idle_ns()
        wrong = list(wrong_saves(looked, about, lost_ns, len(run.busy) * run.spent_ns))
        failed += bool(wrong) or not ok
        print("%sok %d - %s" % ("not " if wrong or not ok else "", i + 1, name))
        for line in wrong:
            print("# " + line)
        if not ok:
            print("# exit %d, want %s" % (done.returncode, sorted(want)))
            for f in found:
                print("# %s %s: %s" % (f["rule"], f["level"], f["finding"]))
    print("1..%d" % len(CASES))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
