#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of a 32-bit program are not recorded as others by the same number, and are said to be missing.

    compare-compat.py RECORD_TEXT KNOWN_COMPAT
"""
import json
import subprocess
import sys

from seen import lines_seen


def main():
    run = subprocess.run([*sys.argv[1:2], '--', sys.argv[2]], stdout=subprocess.PIPE, text=True, encoding='latin-1', check=False)
    if run.returncode == 77:
        print('this kernel runs no 32-bit programs')
    if run.returncode:
        sys.exit(run.returncode)
    records = [json.loads(line) for line in lines_seen(run.stdout)]
    wrong = [r for r in records if r['kind'] == 'call' and r['op'] == 'writev']
    lost = [(r['generated'], r['lost']) for r in records if r['kind'] == 'loss' and r['set'] == '32-bit']
    print(wrong, lost)
    sys.exit(bool(wrong) or lost != [(5, 5)])


main()
