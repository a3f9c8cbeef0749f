#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of 'tracedb timeline' says sizes and durations as the terminal does: what tests/unit/test-units.c wants of common/units.c, its script says, too.

usage: units.py TIMELINE.js TEST-UNITS.c       exit 77 (skipped) without node"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LARGEST = 2**53     # beyond it a number of a script is not exact


def cases(text, name):
    table = re.search(r'format_case ' + name + r'\[\] = \{(.*?)\n\t\};', text, re.S).group(1)
    for number, want in re.findall(r'\{ (-?\d+|INT64_C\(\d+\) << \d+), "([^"]*)" \}', table):
        value = eval(re.sub(r'INT64_C\((\d+)\)', r'\1', number), {})     # digits and a shift: the pattern says so
        if 0 <= value < LARGEST or (name == 'durs' and -LARGEST < value < 0):   # no size is less than nothing
            yield value, want


def main(script, units):
    node = shutil.which('node')
    if not node:
        return 77
    functions = re.search(r'const SIZES = .*?(?=\n/\* A time, as exact)', Path(script).read_text(), re.S).group(0)
    text, failed, n = Path(units).read_text(), 0, 0
    for name, function in (('bytes', 'bytes'), ('durs', 'duration')):
        wanted = list(cases(text, name))
        said = json.loads(subprocess.run([node, '-e', f'{functions}\nconsole.log(JSON.stringify({json.dumps([v for v, _ in wanted])}.map({function})))'],
                                         capture_output=True, text=True, check=True).stdout)
        for (value, want), got in zip(wanted, said, strict=True):
            n += 1
            if want != got:
                failed += 1
                print(f'{function}({value}): {got}, the terminal has {want}')
    print(f'{n} numbers, {failed} said otherwise')
    return failed > 0 or n < 30


sys.exit(main(*sys.argv[1:]))
