#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Requests of io_uring that no call of the program tells of, one by one: as many were recorded, on the same file and with
the same bytes, as the program says.

    compare-async.py RECORD_TEXT KNOWN_ASYNC
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from seen import lines_seen


def main():
    record_text, program = sys.argv[1:3]
    errors = []
    with tempfile.TemporaryDirectory() as tmp:
        work = os.path.realpath(tmp) + '/w'
        os.mkdir(work)
        run = subprocess.run([record_text, '--', program, tmp + '/truth', work], stdout=subprocess.PIPE, text=True,
                             encoding='latin-1', check=False)
        if run.returncode:
            sys.exit(run.returncode)
        with open(tmp + '/truth', encoding='utf-8') as f:
            truths = [json.loads(line) for line in f]
    records = [json.loads(line) for line in lines_seen(run.stdout)]
    files = {r['file']: re.sub(r'\[\d+\]', '[*]', r['path']) for r in records if r['kind'] == 'file'}
    calls = [r for r in records if r['kind'] == 'call']
    for t in truths:
        # the end of the program cancels what goes on
        found = [c for c in calls if c['op'] == t['op'] and files.get(c['file']) == t['path'] and c['ret'] >= 0]
        got = (len(found), sum(c.get('asked', 0) for c in found), sum(c['ret'] for c in found))
        print(t['what'], t['op'], 'recorded:', got)
        if got != (t['n'], t['asked'], t['done']):
            errors.append(f'{t}: {[c for c in calls if c["op"] == t["op"]][:3]}')
    print(*errors, sep='\n')
    sys.exit(bool(errors) or not truths)


main()
