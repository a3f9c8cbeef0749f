#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads meson's testlog.json: prints 'PASSED FAILED SKIPPED' to stdout and what failed to stderr,
and appends what was skipped, and why, to a file.

usage: summary.py TESTLOG SKIPPED"""
import json
import sys


def last_line(test):
    """A skipped test prints its reason last."""
    text = (test.get('stdout', '') + '\n' + test.get('stderr', '')).strip()
    return text.splitlines()[-1] if text else 'no reason given'


def main(log, skipped_path):
    passed = failed = skipped = 0
    with open(log, encoding='utf-8', errors='replace') as lines, \
            open(skipped_path, 'a', encoding='utf-8') as out:
        for test in map(json.loads, lines):
            if test['result'] in ('OK', 'EXPECTEDFAIL'):
                passed += 1
            elif test['result'] == 'SKIP':
                skipped += 1
                out.write(f"  {test['name']}: {last_line(test)}\n")
            else:
                failed += 1
                print(f"--- {test['name']}: {test['result']}", file=sys.stderr)
                print('\n'.join((test.get('stdout', '') + test.get('stderr', '')).splitlines()[-40:]),
                      file=sys.stderr)
    print(passed, failed, skipped)


main(*sys.argv[1:])
