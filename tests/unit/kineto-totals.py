#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is in a Kineto file, worked out by Python's own JSON reader: for the corpus test of test-kineto.c.

usage: kineto-totals.py FILE.json[.gz]

Per kind of row: count, and the sum modulo 2^64 of 3 * start + 5 * duration (ns) + 7 * bytes, length of the
name or value, for GPU work also + correlation + 11 * device + 13 * stream."""
import gzip
import json
import re
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

GPU = {'kernel': 'kernel', 'Kernel': 'kernel', 'gpu_memcpy': 'copy', 'Memcpy': 'copy', 'gpu_memset': 'set',
       'Memset': 'set', 'cuda_sync': 'sync'}
SPAN = {'cpu_op': 'cpu-op', 'Operator': 'cpu-op', 'user_annotation': 'annotation',
        'gpu_user_annotation': 'gpu-annotation', 'python_function': 'python', 'overhead': 'overhead',
        'Trace': 'profiler'}
CALL = {'cuda_runtime', 'cuda_driver', 'Runtime'}
ORDER = ['gpu kernel', 'gpu copy', 'gpu set', 'gpu sync', 'span cpu-op', 'span annotation',
         'span gpu-annotation', 'span python', 'span overhead', 'span profiler', 'call', 'mark']


def ns(microseconds):
    return int((Decimal(microseconds) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def gpu_extra(event):
    args = event['args']
    stream = args['stream']
    if stream < 0 or stream >= 1 << 31:
        stream = 0
    return args['correlation'] + 11 * args['device'] + 13 * stream


def span_kind(event, category):
    """The traces of 2021 have annotations among the operators."""
    kind = SPAN[category]
    if kind == 'cpu-op' and re.match(r'ProfilerStep#|enumerate\(DataLoader\)#|Optimizer\.', event['name']):
        return 'annotation'
    return kind


def length(event, kind):
    name = event['name']
    if kind.endswith('annotation') and name.startswith('ProfilerStep#'):
        name = 'ProfilerStep'
    return len(name.encode())


def main():
    path = sys.argv[1]
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        trace = json.load(file, parse_float=Decimal)
    count, total, skipped = defaultdict(int), defaultdict(int), 0
    for event in trace['traceEvents']:
        category, extra = event.get('cat', ''), 0
        if event['ph'] == 'X':
            if category in GPU:
                what, more = 'gpu ' + GPU[category], event['args'].get('bytes', 0)
                extra = gpu_extra(event)
            elif category in CALL:
                what, more = 'call', length(event, 'call')
            else:
                kind = span_kind(event, category)
                what, more = 'span ' + kind, length(event, kind)
        elif event['ph'] == 'i':
            what, more = 'mark', event.get('args', {}).get('Bytes', 0)
        else:
            skipped += 1
            continue
        count[what] += 1
        total[what] += 3 * ns(event['ts']) + 5 * ns(event.get('dur', 0)) + 7 * more + extra
    for what in ORDER:
        if count[what]:
            print(what, count[what], total[what] % (1 << 64))
    print('lines', len(trace['traceEvents']), 'skipped', skipped, 'base',
          trace.get('baseTimeNanoseconds', 0))


main()
