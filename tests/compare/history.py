#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One run and those before it: 'compare --baseline FOLDER B' finds the one that is slower, and takes the last ones of its kind only.

usage: history.py TRACEDB          prints TAP, exits 1 if a case failed"""

import csv
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

EPOCHS = 5
NOISE = 0.01
DAY = 86400
BEGIN = 1700000000


def play(path, number, slower=1.0, phase="epoch"):
    """The log of a run of day number, whose epochs take 10 s, give or take 1 %."""
    rng, now, lines = random.Random(number), BEGIN + number * DAY, []

    def log(kind, key, meta):
        lines.append(':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "%s", "key": "%s", "value": null, "metadata": %s}\n'
                     % (round(now * 1000), kind, key, meta))

    for epoch in range(1, EPOCHS + 1):
        log("INTERVAL_START", phase + "_start", '{"epoch_num": %d}' % epoch)
        now += 10 * slower * rng.gauss(1, NOISE)
        log("INTERVAL_END", phase + "_stop", '{"epoch_num": %d}' % epoch)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)


def make(tracedb, folder, number, **how):
    log, db = f"{folder}/{number}.log", f"{folder}/{number}.db"
    play(log, number, **how)
    subprocess.run([tracedb, "import", "-q", "-o", db, log], check=True)
    return db


def ask(tracedb, history, run, *options):
    """Verdict and number of samples of the epochs' length, and the exit status."""
    done = subprocess.run([tracedb, "compare", *options, "-f", "csv", "--baseline", history, run], capture_output=True, text=True, check=False)
    line = {row["id"]: row for row in csv.DictReader(io.StringIO(done.stdout))}.get("epoch_ns", {})
    return line.get("verdict"), int(line.get("samples_a", 0)), done.returncode


def words(tracedb, history, run, *options):
    done = subprocess.run([tracedb, "compare", *options, "--baseline", history, run], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main(tracedb):
    tracedb = os.path.abspath(os.environ.get("TRACEDB_PLAIN", tracedb))
    with tempfile.TemporaryDirectory(prefix="tracedb-test-") as tmp:
        history = f"{tmp}/history"
        os.mkdir(history)
        # 26 days: 24 of one job, on two days another one
        for day in range(26):
            make(tracedb, history, day, phase="eval" if day in (3, 9) else "epoch")
        last = f"{history}/25.db"
        slower = make(tracedb, tmp, 30, slower=1.05)
        same = make(tracedb, tmp, 31)
        fewer, few = words(tracedb, history, slower, "--last", "19"), words(tracedb, history, slower, "--last", "18")
        spoilt, partly = f"{tmp}/spoilt", "--keep-going"
        shutil.copytree(history, spoilt)
        os.mkfifo(f"{spoilt}/pipe.db")
        os.truncate(f"{spoilt}/7.db", 40000)  # cut
        with open(f"{spoilt}/8.db", "r+b") as f:  # its first page is well, its last pages are not
            f.seek(os.path.getsize(f"{spoilt}/8.db") // 2)
            f.write(b"\xff" * 10**6)
        again = f"{tmp}/again"
        shutil.copytree(history, again)
        shutil.copy(f"{again}/5.db", f"{again}/copy.db")
        subprocess.run([tracedb, "import", "-q", "-o", f"{again}/twice.db", f"{history}/6.log"], check=True)
        cases = [
            ("what cannot be read stops it, by name", ask(tracedb, spoilt, slower)[2] == 3 and re.search("pipe.db|7.db", words(tracedb, spoilt, slower))),
            ("with --keep-going it is left out and counted, and the verdict is that of the others",
             ask(tracedb, spoilt, slower, partly) == ("slower", 22, 4) and ask(tracedb, spoilt, slower, partly, "--fail-if", "epoch_s > +3%")[2] == 1
             and "3 that could not be read" in words(tracedb, spoilt, slower, partly) and "7.db" in words(tracedb, spoilt, slower, partly)),
            ("a copy of a database, and logs that were imported twice, are one run, which is said",
             ask(tracedb, again, slower)[1] == 24 and len(re.findall("(copy|5|6|twice).db' has nothing new", words(tracedb, again, slower))) == 2),
            ("it is for a baseline", subprocess.run([tracedb, "compare", partly, last, slower], capture_output=True, check=False).returncode == 2),
            ("a run whose epochs take 5 % longer is slower than 24 before it",
             ask(tracedb, history, slower, "--fail-if", "epoch_s > +3%") == ("slower", 24, 1)),
            ("one that is like them is not", ask(tracedb, history, same, "--fail-if", "epoch_s > +3%") == ("no evidence", 24, 0)),
            ("the run itself is none of its baseline", ask(tracedb, history, last)[1] == 23),
            ("19 are enough, and others are said", re.search(r"epoch: length +slower", fewer) and "last 19 runs" in fewer
             and "phases epoch" in fewer and "5 older" in fewer and "2 of other kinds" in fewer),
            ("18 are not", re.search(r"epoch: length +too few samples", few) and "it takes 19 runs" in few),
            ("any kind is taken if asked for", "last 26 runs" in words(tracedb, history, slower, "--any-kind")),
            ("nothing before the first one", "none is of a run of this kind" in words(tracedb, history, f"{history}/0.db")),
        ]
    for i, (what, ok) in enumerate(cases):
        print("%sok %d - %s" % ("" if ok else "not ", i + 1, what))
    print("1..%d" % len(cases))
    sys.exit(0 if all(ok for _, ok in cases) else 1)


if __name__ == "__main__":
    main(sys.argv[1])
