#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb export --to chrome', read as JSON, against the database: every event with its values, and what joins them.

usage: chrome.py TRACEDB INPUT...     what is to be imported, one database each; the first one also with hostile rows
"""
import collections
import json
import sys
import tempfile
from decimal import Decimal

import wanted

PHASES = {'X', 'i', 'C', 'M', 's', 'f'}


def check(database):
    path = database.path + '.json'
    database.export('chrome', path)
    with open(path, encoding='utf-8') as f:  # strict
        trace = json.load(f, parse_float=lambda text: Decimal(text))
    start = int(trace['otherData']['start_ns'])
    events, samples, findings, flows = (collections.Counter() for _ in range(4))
    joined, threads, processes = collections.defaultdict(list), {}, {}
    for e in trace['traceEvents']:
        assert e['ph'] in PHASES and 0 <= e['pid'] < 2**32 and 0 <= e['tid'] < 2**32, e
        if e['ph'] == 'M':
            names = {'process_name': processes, 'thread_name': threads, 'process_labels': {}}[e['name']]
            key = e['pid'] if names is processes else (e['pid'], e['tid'])
            assert names.setdefault(key, e['args'].get('name')) == e['args'].get('name'), e
            continue
        assert e['pid'] in processes, e
        ns = [e[key] * 1000 for key in ('ts', 'dur') if key in e]
        assert all(n == int(n) for n in ns), e
        begin, dur = start + int(ns[0]), int(ns[1]) if len(ns) > 1 else None
        assert (dur is not None) == (e['ph'] == 'X'), e
        if e['ph'] in 'sf':
            joined[e['id']].append(('call' if e['ph'] == 's' else 'gpu', begin))
            continue
        if e['ph'] == 'C':
            samples[e['name'], begin, float(e['args']['value'])] += 1
            continue
        assert (e['pid'], e['tid']) in threads, e
        args = {key: float(v) if isinstance(v, Decimal) else v for key, v in e['args'].items()}
        if e['cat'] == 'finding':
            findings[e['name'], args['level'], args['text']] += 1
        else:
            events[wanted.event(e['cat'], e['name'], begin, dur, args)] += 1
    flows.update(tuple(sorted(f)) for f in joined.values())
    want = collections.Counter()
    for (name, unit, _, _, ns, v), n in database.samples().items():
        want[f'{name}, {unit}' if unit else name, ns, v] += n
    failed = wanted.same('events', events, database.events())
    failed += wanted.same('samples', samples, want)
    failed += wanted.same('findings', findings, database.findings())
    failed += wanted.same('flows', flows, database.flows())
    return failed, sum(events.values())


def main(tracedb, *inputs):
    failed = events = 0
    for number, path in enumerate((inputs[0], *inputs)):
        with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
            bad, n = check(wanted.Database(tracedb, path, scratch, hostile=number == 0))
            failed, events = failed + bad, events + n
    print(f'{len(inputs) + 1} databases, {events} events, {failed} failed')
    return 1 if failed or not events else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
