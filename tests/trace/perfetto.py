#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tracedb export --to perfetto', decoded by protoc with the published numbers of fields, against the database: every event with its
values, every track, and the rules that viewers go by.

usage: perfetto.py TRACEDB INPUT...     what is to be imported, one database each; the first one also with hostile rows
"""
import ast
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import wanted

LINE = re.compile(rb'\s*(?:(\w+) \{|(\})|(\w+): (.*))')


def value(raw):
    if raw.startswith(b'"'):
        text = ast.literal_eval('b' + raw.decode('ascii')).decode('utf-8')  # strict: that is what strings have to be
        return text.replace('\0', 'NUL')
    return raw.decode() if raw[:1].isalpha() else float(raw) if re.search(rb'[.e]|nan|inf', raw) else int(raw)


def messages(path):
    """The packets, as dicts of lists."""
    decoded = subprocess.run(['protoc', f'--proto_path={os.path.dirname(os.path.abspath(__file__))}', '--decode=Trace', 'perfetto.proto'],
                             stdin=open(path, 'rb'), stdout=subprocess.PIPE, check=True).stdout
    top = collections.defaultdict(list)
    stack = [top]
    for line in decoded.splitlines():
        begins, ends, name, raw = LINE.fullmatch(line).groups()
        if begins:
            stack.append(collections.defaultdict(list))
            stack[-2][begins.decode()].append(stack[-1])
        elif ends:
            stack.pop()
        else:
            stack[-1][name.decode()].append(value(raw))
    assert not set(top) - {'packet'}, set(top)
    return top['packet']


def one(message, name, default=None):
    assert len(message.get(name, [])) <= 1, (name, message)
    return message[name][0] if message.get(name) else default


class Trace:
    def __init__(self, packets):
        self.tracks, self.names = {}, collections.defaultdict(dict)
        self.events, self.samples, self.findings = collections.Counter(), collections.Counter(), collections.Counter()
        self.flows = collections.defaultdict(list)
        self.lanes = []
        moments = []
        for i, packet in enumerate(packets):
            # unknown fields are printed by their numbers
            assert not any(name.isdigit() for name in packet), packet
            assert one(packet, 'trusted_packet_sequence_id') == 1 and one(packet, 'sequence_flags') == (2 if i else 1), packet
            assert bool(one(packet, 'first_packet_on_sequence')) == (i == 0), packet
            self.intern(packet)
            if 'track_descriptor' in packet:
                self.add_track(one(packet, 'track_descriptor'))
            if 'track_event' in packet:
                moments.append((one(packet, 'timestamp'), self.resolve(one(packet, 'track_event'))))
        clocks = {one(c, 'clock_id'): one(c, 'timestamp') for p in packets if 'clock_snapshot' in p for c in one(p, 'clock_snapshot')['clocks']}
        assert set(clocks) == {1, 6} and clocks[1] == clocks[6], clocks
        self.start = clocks[1]
        self.play(sorted(moments, key=lambda m: m[0]))  # stable, as viewers sort

    def intern(self, packet):
        for kind, texts in one(packet, 'interned_data', {}).items():
            for t in texts:
                iid = one(t, 'iid')
                assert iid and iid not in self.names[kind], (kind, t)
                self.names[kind][iid] = one(t, 'text')

    def add_track(self, t):
        assert one(t, 'uuid') and one(t, 'uuid') not in self.tracks, t
        assert 'parent_uuid' not in t or one(t, 'parent_uuid') in self.tracks, t
        self.tracks[one(t, 'uuid')] = t

    def resolve(self, e):
        assert one(e, 'track_uuid') in self.tracks, e
        e['name'] = [self.names['event_names'][iid] for iid in e['name_iid']]
        e['category'] = [self.names['event_categories'][iid] for iid in e['category_iids']]
        e['args'] = {}
        for a in e['debug_annotations']:
            texts = [self.names['debug_annotation_string_values'][iid] for iid in a['string_value_iid']]
            values = a['int_value'] + a['double_value'] + texts
            assert len(values) == 1, a
            e['args'][self.names['debug_annotation_names'][one(a, 'name_iid')]] = values[0]
        return e

    def play(self, moments):
        stacks = collections.defaultdict(list)
        for ts, e in moments:
            track, kind = one(e, 'track_uuid'), one(e, 'type')
            assert (kind == 'COUNTER') == ('counter' in self.tracks[track]), e
            if kind == 'BEGIN':
                stacks[track].append((ts, e))
            elif kind == 'END':
                assert set(e) <= {'type', 'track_uuid', 'name', 'category', 'args', 'name_iid', 'category_iids', 'debug_annotations'}, e
                begin, of = stacks[track].pop()
                self.add(of, begin, ts - begin)
            elif kind == 'INSTANT':
                self.add(e, ts, None)
            else:
                self.add_sample(self.tracks[track], ts, one(e, 'double_counter_value'))
        assert not any(stacks.values()), 'slices that do not end'

    def add(self, e, start, dur):
        category = one(e, 'category')
        if category == 'finding':
            self.findings[one(e, 'name'), e['args']['level'], e['args']['text']] += 1
            return
        self.events[wanted.event(category, one(e, 'name'), start, dur, e['args'])] += 1
        self.lanes.append((category, one(e, 'name'), start, dur, self.owner(one(e, 'track_uuid'))))
        for flow in e['flow_ids']:
            self.flows[flow].append((category, start))

    def owner(self, uuid):
        """The process or thread that a track is of or below, else what stands at its top."""
        t = self.tracks[uuid]
        while not t['thread'] and not t['process'] and 'parent_uuid' in t:
            t = self.tracks[one(t, 'parent_uuid')]
        thread, process = one(t, 'thread'), one(t, 'process')
        return ('tid', one(thread, 'tid')) if thread else ('pid', one(process, 'pid')) if process else ('track', one(t, 'name'))

    def add_sample(self, track, ts, v):
        counter, above = one(track, 'counter'), self.owner(one(track, 'uuid'))
        unit = 'bytes' if one(counter, 'unit') == 3 else one(counter, 'unit_name')
        self.samples[one(track, 'name'), unit, above[1] if above[0] == 'track' and 'parent_uuid' in track else None,
                     above[1] if above[0] == 'pid' else None, ts, v] += 1


def owners(db):
    """Whose track each event has to be on."""
    return collections.Counter(db.execute(f'''
        SELECT 'call', o.name, c.start_ns, dur_ns, CASE WHEN tid IS NOT NULL AND p.id IS NOT NULL THEN 'tid ' || tid
            WHEN t.id IS NOT NULL THEN 'track ' || coalesce(t.name, '?') WHEN c.process_id IS NULL THEN 'track calls' ELSE 'pid ' || q.pid END
        FROM call AS c JOIN op AS o ON o.id = op_id LEFT JOIN thread AS t ON t.id = thread_id LEFT JOIN process AS p ON p.id = t.process_id
        LEFT JOIN process AS q ON q.id = c.process_id
        WHERE {wanted.IN_TIME.replace('start_ns', 'c.start_ns')}
        UNION ALL SELECT 'block_request', CASE op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END, start_ns, dur_ns,
            'track ' || coalesce(d.name, 'requests') FROM block_request LEFT JOIN device AS d ON d.id = device_id
        UNION ALL SELECT 'gpu', n.text, start_ns, dur_ns, 'track ' || d.name FROM gpu_op JOIN string AS n ON n.id = name_id
            JOIN device AS d ON d.id = device_id WHERE {wanted.IN_TIME}'''))


def check(database, hostile):
    path = database.path + '.pftrace'
    database.export('perfetto', path)
    trace = Trace(messages(path))
    failed = wanted.same('events', trace.events, database.events())
    failed += wanted.same('samples', trace.samples, database.samples())
    failed += wanted.same('findings', trace.findings, database.findings())
    failed += wanted.same('flows', collections.Counter(tuple(sorted(f)) for f in trace.flows.values()), database.flows())
    pids = [one(one(t, 'process'), 'pid') for t in trace.tracks.values() if t['process']]
    assert len(pids) == len(set(pids)), 'processes of one pid'
    assert trace.start == database.db.execute('SELECT start_ns FROM run').fetchone()[0]
    if not hostile:
        got = collections.Counter((*e[:4], ' '.join(map(str, e[4]))) for e in trace.lanes if e[0] in ('call', 'block_request', 'gpu'))
        failed += wanted.same('tracks', got, owners(database.db))
    else:
        failed += check_hostile(trace)
    return failed, sum(trace.events.values())


def check_hostile(trace):
    """100-200, 150-250, 200-250, 250-250 and 250: the second does not fit into the first one's track, the third fits after it."""
    streams = [t for t in trace.tracks.values() if one(t, 'name') == 'stream 70707']
    processes = {one(one(t, 'process'), 'process_name'): one(t, 'process') for t in trace.tracks.values() if t['process']}
    assert len(streams) == 2 and len({one(t, 'parent_uuid') for t in streams}) == 1, streams
    assert one(processes['first'], 'pid') == 77 and one(processes['second'], 'pid') == 77 + (1 << 22), processes
    assert one(processes['second'], 'process_labels') == 'pid 77', processes
    assert one(processes['\ufffda\ufffd'], 'cmdline') == '"\ufffd</script>\n', processes
    return 0


def main(tracedb, *inputs):
    if not shutil.which('protoc'):
        print('SKIP: no protoc (protobuf-compiler)')
        return 77
    failed = events = 0
    for number, path in enumerate((inputs[0], *inputs)):
        with tempfile.TemporaryDirectory(prefix='tracedb-test-') as scratch:
            bad, n = check(wanted.Database(tracedb, path, scratch, hostile=number == 0), number == 0)
            failed, events = failed + bad, events + n
    print(f'{len(inputs) + 1} databases, {events} events, {failed} failed')
    return 1 if failed or not events else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
