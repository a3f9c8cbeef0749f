#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the rules in queries/rules/: each is asked of databases made of the schema and a few rows for which the answer was
worked out by hand.

    tests/rules/run.py TRACEDB [RULE...]        prints TAP, exits 1 if a case failed

tests/rules/base.sql is rows that all cases have. tests/rules/RULE.sql is rows that those of one rule have, then a case after the other:

    -- case: many small ones
    INSERT ...
    -- expect: warning high 30000000000 | 2,000 reads of {}.txt moved 4.00 kB each and took 30.0 s, 30.0% of the run.

An 'expect' is a finding: level, confidence, saves_ns ('-': not known) and the sentence; several are in the order of the rule.
'-- advise: TEXT' is the advice of one of them.
'-- expect: nothing' is a rule that looked and found nothing. A parameter is set by '-- param: NAME=VALUE'. Every rule has a case of
high confidence, one of less (events were lost, clocks are off, ...; '-- always high: REASON' says why there can be none), and one
that finds nothing."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def number(name):
    """A number that schema/db.h defines."""
    return int(re.search(r"#define %s\s+(\w+)" % name, text_of("schema", "db.h")).group(1), 0)


def run_sql(path, sql):
    db = sqlite3.connect(path)
    db.executescript("PRAGMA synchronous = OFF; BEGIN;" + sql + "COMMIT;")
    db.close()


def make_base(path):
    run_sql(path, "".join(text_of("schema", name + ".sql") for name in ("tables", "derived", "views"))
            + "PRAGMA application_id = %d; PRAGMA user_version = %d;" % (number("TD_APPLICATION_ID"), number("TD_SCHEMA_VERSION"))
            + text_of("tests", "rules", "base.sql"))


def cases_of(text):
    """(name, rows, parameters, what is expected, and what is advised) of each."""
    common, *parts = re.split(r"^-- case: ", text, flags=re.M)
    for part in parts:
        name, _, rest = part.partition("\n")
        yield (name, common + rest, re.findall(r"^-- param: (.*)$", rest, flags=re.M),
               re.findall(r"^-- expect: (.*)$", rest, flags=re.M), re.findall(r"^-- advise: (.*)$", rest, flags=re.M))


def ask(tracedb, rule, path, params):
    """What the rule finds, in the form of an 'expect', or a text that says why not; with what confidence; and what it advises."""
    argv = [tracedb, "analyze", "-f", "ndjson", "--rule-dir", os.path.join(ROOT, "queries", "rules"), "--rule", rule]
    for param in params:
        argv += ["--param", rule + ":" + param]
    done = subprocess.run(argv + [path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return ["exit %d: %s" % (done.returncode, done.stderr.strip())], set(), []
    found = [json.loads(line) for line in done.stdout.splitlines()]
    lines = ["%s %s %s | %s" % (f["level"], f["confidence"], "-" if f["saves_ns"] is None else f["saves_ns"], f["finding"])
             for f in found]
    return lines or ["nothing"], {f["confidence"] for f in found} or {"nothing"}, [f["advice"] for f in found]


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, what, problems):
        self.n += 1
        self.failed += bool(problems)
        print("%sok %d - %s" % ("not " if problems else "", self.n, what))
        for line in problems:
            print("#", line)


def test_rule(tap, tracedb, rule, tmp):
    text = text_of("tests", "rules", rule + ".sql")
    shown = {"low"} if re.search(r"^-- always high: \S", text, flags=re.M) else set()
    for i, (name, rows, params, want, advised) in enumerate(cases_of(text)):
        path = os.path.join(tmp, "%s-%d.db" % (rule, i))
        shutil.copy(os.path.join(tmp, "base.db"), path)
        run_sql(path, rows + text_of("tests", "sql", "files.sql"))
        # the first case of each by the program that may have sanitizers
        got, kinds, advice = ask(os.environ.get("TRACEDB_PLAIN", tracedb) if i else tracedb, rule, path, params)
        shown |= kinds
        problems = [] if got == want else ["got:  " + line for line in got] + ["want: " + line for line in want]
        tap.check("%s: %s" % (rule, name), problems + ["not advised: " + line for line in advised if line not in advice])
    lacking = [what for what, there in (("of high confidence", "high" in shown), ("of less", shown & {"medium", "low"}),
                                        ("that finds nothing", "nothing" in shown)) if not there]
    tap.check(rule + ": cases of all kinds", ["no case " + what for what in lacking])


def main():
    tracedb = sys.argv[1]
    have = sorted(name[:-4] for name in os.listdir(os.path.join(ROOT, "queries", "rules")))
    tap = Tap()
    with tempfile.TemporaryDirectory() as tmp:
        make_base(os.path.join(tmp, "base.db"))
        for rule in sys.argv[2:] or have:
            test_rule(tap, tracedb, rule, tmp)
    print("1..%d" % tap.n)
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
