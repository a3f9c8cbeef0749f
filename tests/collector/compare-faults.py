#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Page faults as they were recorded per process and second, against what the kernel counted of each process.

    compare-faults.py RECORD_TEXT KNOWN_FAULTS [OPTION-OF-RECORD-TEXT...]
"""
import json
import subprocess
import sys
import tempfile

from seen import lines_seen

SECOND = 10**9

errors = []


def check(ok, text):
    if not ok:
        errors.append(text)


def read(lines):
    """Samples by (pid, name); how many records the probes say they made, and lost."""
    tracks, series, made, lost = {}, {}, 0, 0
    for line in lines:
        r = json.loads(line)
        if r['kind'] == 'status' and r['state'] == 'impossible':
            print('not possible here: ' + r['why'])
            sys.exit(77)
        if r['kind'] == 'track':
            tracks[r['track']] = (r['pid'], r['name'])
        elif r['kind'] == 'sample':
            check(r['track'] in tracks, f'sample before its track: {r}')
            series.setdefault(tracks.get(r['track']), []).append(r)
        elif r['kind'] == 'loss' and r['set'] == 'faults':
            made, lost = made + r['generated'], lost + r['lost']
    came = sum(len(s) for (pid, name), s in series.items() if name == 'faults.minor')
    check(made == came and not lost, f'{made} generated, {came} came, {lost} lost')
    return series


def check_process(truth, series):
    check(truth['minor'] + truth['major'] >= truth['least'], f"less than it made: {truth}")
    for name in ('minor', 'major'):
        samples = series.get((truth['pid'], 'faults.' + name), [])
        total = sum(s['value'] * s['dur'] / SECOND for s in samples)
        check(round(total) == truth[name], f'{total} {name} faults: {truth}')
        for s in samples:
            check(0 < s['dur'] <= SECOND, f'of less or more than a second: {s}')
        for a, b in zip(samples, samples[1:]):
            check(a['time'] <= b['time'] - b['dur'], f'these overlap: {a} {b}')
    if truth['what'] == 'pauses':
        check(len(samples) > 1, f'all in one second: {samples}')


def main():
    record_text, program, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    # not in /tmp, which may be in memory
    with tempfile.TemporaryDirectory(dir='/var/tmp') as tmp:
        run = subprocess.run([record_text, '-e', 'faults', *options, '--', program, tmp + '/truth',
                              tmp], stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode == 77:
            sys.exit(77)
        check(run.returncode == 0, f'{program} ended with {run.returncode}')
        with open(tmp + '/truth', encoding='utf-8') as f:
            truths = [json.loads(line) for line in f]
    series = read(lines_seen(run.stdout))
    for truth in truths:
        check_process(truth, series)
    faults = sum(t['minor'] + t['major'] for t in truths)
    print(f'{faults} page faults in {len(truths)} processes, {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors) or len(truths) != 6)


main()
