#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/SECURITY.md names the test that holds each promise: there is such a test.

    check-promises.py PAGE BUILD_FOLDER
"""
import json
import re
import subprocess
import sys

OF_THE_RECORDER = ('record-', 'cuda-record')  # tests that a build without it does not have


def tests_of(build):
    done = subprocess.run(['meson', 'introspect', '--tests', build], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    recorded = any(suite.endswith(':collector') for t in found for suite in t['suite'])
    return {t['name'] for t in found}, recorded


def main():
    page, build = sys.argv[1:3]
    names, recorded = tests_of(build)
    missing, seen = [], 0
    with open(page, encoding='utf-8') as f:
        rows = [line.rstrip().strip('|').split(' | ') for line in f if line.startswith('| ')]
    for row in rows[1:] if rows else []:
        if row[-1].strip() == 'held by':
            continue
        held = re.findall('`([^`]+)`', row[-1])
        if not held:
            missing.append(f'nothing holds: {row[0].strip()}')
        for name in held:
            seen += 1
            # an executable of a unit test, a fuzzer whose corpus is replayed
            there = {name, name.removeprefix('test-'), re.sub('^fuzz-', 'replay-', name)} & names
            if not there and (recorded or not name.startswith(OF_THE_RECORDER)):
                missing.append(f'no test {name}: {row[0].strip()}')
    print(f'{seen} tests named', *missing, sep='\n')
    return bool(missing) or seen < 30


sys.exit(main())
