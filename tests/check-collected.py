#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever the recorder collects has a report: each event set is in the table of docs/RECORDING.md that says which report answers what, the
reports that it names exist, and each number that is sampled of GPUs is asked for by a report.

usage: check-collected.py ROOT          prints what is missing, exits 1 if anything is"""
import re
import sys
from pathlib import Path

SET = re.compile(r'\.name = "([a-z_]+)",\n\t\.help =')
TRACK = re.compile(r'"(gpu\.[a-z0-9_]+)"')


def section(text, title):
    return text.split(f'\n## {title}\n', 1)[1].split('\n## ', 1)[0]


def wrong(root):
    table = [line.split('|') for line in section((root / 'docs/RECORDING.md').read_text(), 'Which report answers what').splitlines()
             if line.startswith('| ') and not line.startswith('| question')]
    sets = {name for path in (root / 'collector/sets').glob('*.c') for name in SET.findall(path.read_text())}
    tracks = TRACK.findall((root / 'collector/samplers/nvml.c').read_text())
    reports = {path.stem: path.read_text() for path in (root / 'queries').glob('*.sql')}
    # what reports ask views and the program's tables for
    asked = ''.join(reports.values()) + (root / 'schema/views.sql').read_text() + (root / 'analyzer/scan/gpu_samples.c').read_text()
    if not sets or not tracks or not table:
        yield 'there are no event sets, no tracks or no table'
    recorded = {name for row in table for option in re.findall(r'`-e ([a-z_,]+)`', row[3]) for name in option.split(',')}
    for name in sorted(sets - recorded):
        yield f"docs/RECORDING.md does not say which report has event set '{name}'"
    for name in sorted(recorded - sets):
        yield f"docs/RECORDING.md: there is no event set '{name}'"
    for name in sorted({name for row in table for name in re.findall(r'`([a-z_]+)`', row[2])} - set(reports) - {'analyze'}):
        yield f"docs/RECORDING.md: there is no report '{name}'"
    for name in tracks:
        if f"'{name}'" not in asked:
            yield f'no report has what is sampled as {name}'


def main(root):
    found = list(wrong(Path(root)))
    for line in found:
        print(line)
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
