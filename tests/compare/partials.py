#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One run and those before it, of which there are partials only: 'compare --baseline FOLDER B' finds the one that reads slower, says what it
read, and has a verdict on no more than about one in twenty runs that are like those before them.

usage: partials.py TRACEDB [WINDOWS]       prints TAP, exits 1 if a case failed"""

import csv
import io
import os
import random
import subprocess
import sys
import tempfile

READS = 60
DAY = 86400
BEGIN = 1700000000
LENGTH = 30  # runs before the one in question, of generated histories
TOTAL = "read_io_syscall_total_ns"


def play(path, number, slower=1.0):
    """Reads of about 1 ms as strace prints them; returns the microseconds in them."""
    rng, total = random.Random(number), 0
    with open(path, "w", encoding="utf-8") as f:
        for i in range(READS):
            us = int(1000 * slower * rng.lognormvariate(0, 0.3))
            total += us
            f.write("7 %d.%06d read(3</data/x.npy>, \"\", 4096) = 4096 <%d.%06d>\n" % (BEGIN + number * DAY, i * 10000, us // 10**6, us % 10**6))
    return total


class Runs:
    def __init__(self, tracedb, folder):
        self.tracedb, self.folder = tracedb, folder

    def run(self, *args):
        return subprocess.run([self.tracedb, *args], cwd=self.folder, capture_output=True, text=True, check=False)

    def make(self, name, number, slower=1.0, report="osrt_sum"):
        """Database and partial; the microseconds in its reads."""
        total = play(f"{self.folder}/{name}.txt", number, slower)
        for args in (("import", "-q", "-o", f"{name}.db", f"{name}.txt"), ("report", report, "--partial", "-o", f"{name}.partial", f"{name}.db")):
            done = self.run(*args)
            assert done.returncode == 0, done.stderr
        return total

    def ask(self, run, *baselines):
        """The lines by their ids."""
        done = self.run("compare", "-f", "csv", *(f"--baseline={b}" for b in baselines), run)
        return {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout))}, done.stderr


def verdicts(lines):
    return [row["verdict"] for row in lines.values() if row["verdict"] not in ("no evidence", "equal")]


def false_alarms(runs, windows):
    """Of runs that are all alike: how many of them, each by those before it, have a verdict on any line."""
    names = []
    for number in range(LENGTH + windows):
        runs.make(f"alike{number}", 1000 + number)
        names.append(f"alike{number}.partial")
    return sum(bool(verdicts(runs.ask(names[i], *names[i - LENGTH:i])[0])) for i in range(LENGTH, LENGTH + windows))


def main(tracedb, windows="20"):
    tracedb, windows = os.path.abspath(os.environ.get("TRACEDB_PLAIN", tracedb)), int(windows)
    with tempfile.TemporaryDirectory(prefix="tracedb-test-") as tmp:
        runs = Runs(tracedb, tmp)
        os.mkdir(f"{tmp}/before")
        for day in range(22):
            runs.make(f"before/{day}", day)
            os.unlink(f"{tmp}/before/{day}.db")
        total = runs.make("slow", 30, 1.5)
        runs.make("same", 31)
        of_db, of_partial = runs.ask("slow.db", "before")[0], runs.ask("slow.partial", "before")[0]
        same = runs.ask("same.partial", "before")[0]
        runs.run("merge", "-o", "before/all.partial", "before/1.partial", "before/2.partial")
        with_merged = runs.ask("slow.partial", "before")[0]
        runs.make("other", 40, report="latency_hist")
        refused = runs.ask("other.partial", "before")[1]
        alarms = false_alarms(runs, windows)
        print(f"# {alarms} of {windows} runs that are like the {LENGTH} before them had a verdict")
        cases = [
            ("a run that takes half longer for its reads has more of it", of_partial[TOTAL]["verdict"] == "more"),
            ("by the sum of what was written", float(of_partial[TOTAL]["b"]) == total * 1000),
            ("of 22 runs", of_partial[TOTAL]["samples_a"] == "22"),
            ("the database says the same", of_db == of_partial),
            ("one that is like them has no verdict", not verdicts(same)),
            ("a partial of several runs is none of them", with_merged == of_partial),
            ("a partial of another report is refused", "another report" in refused),
            (f"at most {0.055 * windows + 3.1 * (0.055 * 0.945 * windows) ** 0.5:.1f} false alarms: {alarms}",
             alarms <= 0.055 * windows + 3.1 * (0.055 * 0.945 * windows) ** 0.5),
        ]
    for i, (what, ok) in enumerate(cases):
        print("%sok %d - %s" % ("" if ok else "not ", i + 1, what))
    print("1..%d" % len(cases))
    sys.exit(0 if all(ok for _, ok in cases) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
