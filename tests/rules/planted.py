#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules on runs with known faults: the simulated training of examples/stall without any, and then with one at a time. A healthy
run has no finding above 'info'; of the others the rules find what was planted, and nothing else.

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


def play(cold=False, stall_ns=0, lost=None, slow_disk=False):
    """Writes the logs of the run into the current folder."""

    class Run(generate.Run):
        def load_file(self, t, pid, path, size, is_cold, hang=0):
            return super().load_file(t, pid, path, size, is_cold and cold, hang)

        def block_io(self, t, pid, size, write=0, comm="python"):
            first = len(self.blocks)
            end = super().block_io(t, pid, size, write, comm)
            if not slow_disk:  # an SSD instead of a disk that is far away
                for block in self.blocks[first:]:
                    block.dur //= 100
                end = t + (end - t) // 100
            return end

    generate.STALL_NS = stall_ns
    generate.LOST = lost or NONE_LOST
    run = Run().play()
    run.stall = run.stall or ("", 0, 0, 0)  # the truth wants one
    truth = generate.Truth(run)
    for name, printer in generate.PRINTERS.items():
        lines = []
        printer(run, lines, truth)
        with open(name, "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in lines if line != "Lost 0 events"))


# name, what is planted, which rules have to find something above 'info'
CASES = (
    ("healthy", {}, set()),
    ("cold", {"cold": True, "slow_disk": True}, {"gpu_idle", "gpu_gaps", "gpu_time_util", "disk_latency"}),
    # the loader that waits has more of the time
    ("stall", {"stall_ns": STALL_NS}, {"slow_reads", "loaders_uneven", "gpu_gaps"}),
    ("lost", {"lost": LOST}, {"events_lost"}),
)


def main():
    tracedb = os.path.abspath(sys.argv[1])
    failed = 0
    for i, (name, faults, want) in enumerate(CASES):
        with tempfile.TemporaryDirectory() as tmp:
            os.mkdir(os.path.join(tmp, "run"))
            os.chdir(os.path.join(tmp, "run"))
            play(**faults)
            os.chdir(tmp)
            subprocess.run([tracedb, "import", "-q", "run"], check=True)
            done = subprocess.run([tracedb, "analyze", "-f", "json", "--fail-on", "warning", "run.db"], capture_output=True, text=True,
                                  check=False)
            found = [f for f in json.loads(done.stdout) if f["level"] != "info"]
            ok = {f["rule"] for f in found} == want and done.returncode == bool(want)
            os.chdir(ROOT)
        failed += not ok
        print("%sok %d - %s" % ("" if ok else "not ", i + 1, name))
        if not ok:
            print("# exit %d, want %s" % (done.returncode, sorted(want)))
            for f in found:
                print("# %s %s: %s" % (f["rule"], f["level"], f["finding"]))
    print("1..%d" % len(CASES))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
