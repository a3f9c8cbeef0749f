#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs of 20 epochs with noise, two at a time: of the same job no difference may be found in 95 of 100 pairs, and where reads or
epochs take 5 % longer, that has to be found in 95 of 100.

usage: pairs.py TRACEDB [PAIRS]         prints TAP, exits 1 if a case failed; TRACEDB, which may have sanitizers, is asked of
                                        one pair, the program in $TRACEDB_PLAIN, if that is set, of the others
       pairs.py play FOLDER SEED SLOWER writes the logs of one run, whose times are SLOWER times as long"""

import concurrent.futures
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

EPOCHS = 20
READS = 40  # of each epoch
NOISE = 0.03  # sigma of an epoch's length
READ_NOISE = 0.3  # and of a read's
BEGIN = 1700000000.0


def play(folder, seed, slower=1.0, length_of=lambda epoch: 10):
    """Two logs of a run whose compute and reads take slower times as long; length_of: an epoch takes about so many seconds."""
    rng = random.Random(seed)
    mllog, strace = [], []
    now = BEGIN + rng.random() * 1000
    pid = rng.randrange(1000, 30000)  # of the run, and so are the numbers of its files

    def log(kind, key, meta):
        mllog.append(':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "%s", "key": "%s", "value": null, "metadata": %s}'
                     % (round(now * 1000), kind, key, meta))

    log("INTERVAL_START", "run_start", "{}")
    for epoch in range(1, EPOCHS + 1):
        log("INTERVAL_START", "epoch_start", '{"epoch_num": %d}' % epoch)
        cold = 2.0 if epoch == 1 else 1.0  # the first one is another matter
        end = now + slower * cold * max(0.1, rng.gauss(1, NOISE)) * length_of(epoch)
        for i in range(READS):
            at = now + (i + 0.5) * (end - now) / (READS + 1)
            dur = slower * cold * 0.005 * max(0.1, rng.gauss(1, READ_NOISE))
            strace.append('%d %.6f read(3</data/case_%05d.npy>, "..."..., 262144) = 262144 <%.6f>'
                          % (pid, at, rng.randrange(100000), dur))
        now = end
        log("INTERVAL_END", "epoch_stop", '{"epoch_num": %d}' % epoch)
    now += 1
    strace.append('%d %.6f read(4</etc/hostname>, "x", 1) = 1 <0.000010>' % (pid, now))
    log("INTERVAL_END", "run_stop", "{}")
    os.mkdir(folder)
    for name, lines in (("mllog.log", mllog), ("strace.out", strace)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in lines))


def run_of(tracedb, tmp, name, seed, *how):
    folder = os.path.join(tmp, name)
    play(folder, seed, *how)
    subprocess.run([tracedb, "import", "-q", "-o", folder + ".db", folder], check=True)
    return folder + ".db"


def compared(tracedb, a, b):
    done = subprocess.run([tracedb, "compare", "-f", "csv", a, b], capture_output=True, text=True, check=True)
    return [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["shift"]]


def verdicts(tracedb, a, b):
    """What is found: {id: verdict}."""
    return {row["id"]: row["verdict"] for row in compared(tracedb, a, b)}


def impossible(tracedb, tmp):
    """Changes by more than all there was. Of 20 epochs 8 take 100 s, the others 10, and 5 s in the other run: most differences are far from the
    median, which is 10 s."""
    a = run_of(tracedb, tmp, "uneven", 1, 1.0, lambda epoch: 100 if epoch % 2 == 0 and epoch > 4 else 10)
    b = run_of(tracedb, tmp, "even", 2, 1.0, lambda epoch: 5)
    rows = compared(tracedb, a, b)
    wrong = [row for row in rows if float(row["shift_pct"] or 0) < -100 or float(row["shift_low"] or 0) < -float(row["a"])]
    epochs = [row for row in rows if row["id"] == "epoch_ns"]
    # its median went from 10 s to 5, by 50 %; the noise of an epoch is 3 %
    return wrong if len(epochs) == 1 and -60 < float(epochs[0]["shift_pct"]) < -40 else wrong + epochs


def one_pair(tracedb, tmp, i):
    """Verdicts of the same job twice, and of a job and one that takes 5 % longer."""
    a = run_of(tracedb, tmp, "a%d" % i, 3 * i)
    b = run_of(tracedb, tmp, "b%d" % i, 3 * i + 1)
    c = run_of(tracedb, tmp, "c%d" % i, 3 * i + 2, 1.05)
    return verdicts(tracedb, a, b), verdicts(tracedb, a, c)


FOUND = {"slower", "faster", "more", "less", "better", "worse"}


def main():
    if sys.argv[1] == "play":
        play(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
        return
    tracedb, pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plain = os.environ.get("TRACEDB_PLAIN", tracedb)
        results = list(pool.map(lambda i: one_pair(plain if i else tracedb, tmp, i), range(pairs)))
        beyond = impossible(plain, tmp)
    alarms = [same for same, _ in results if FOUND & set(same.values())]
    found = sum(slower["epoch_ns"] == "slower" for _, slower in results)
    wrong = [slower for _, slower in results if {"faster", "less"} & set(slower.values())]
    least = min(len(same) for same, _ in results)
    cases = (
        ("%d of %d pairs of the same job have a verdict" % (len(alarms), pairs), len(alarms) <= 0.05 * pairs),
        ("5 %% longer epochs are found in %d of %d" % (found, pairs), found >= 0.95 * pairs),
        ("%d say the contrary" % len(wrong), not wrong),
        ("%d lines at least are compared" % least, least >= 8),
        ("nothing is less by more than it was", not beyond),
    )
    for i, (what, ok) in enumerate(cases):
        print("%sok %d - %s" % ("" if ok else "not ", i + 1, what))
    for pair in alarms + wrong:
        print("#", {name: verdict for name, verdict in pair.items() if verdict in FOUND})
    for row in beyond:
        print("#", row)
    print("1..%d" % len(cases))
    sys.exit(0 if all(ok for _, ok in cases) else 1)


if __name__ == "__main__":
    main()
