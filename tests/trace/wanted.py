# SPDX-License-Identifier: MIT
"""What a trace for a viewer has to hold, said by SQL: independent of the exporters."""
import collections
import json
import sqlite3
import subprocess

# Texts and times that no import stores, or seldom: bytes that are no UTF-8, a NUL, long paths, kernels of one stream that overlap, one
# without a length, one that lasts no time, processes of one pid.
HOSTILE = '''
UPDATE process SET name = CAST(x'fe61ff' AS TEXT), command_line = CAST(x'22ff3c2f7363726970743e0a' AS TEXT)
    WHERE id = (SELECT min(process_id) FROM call);
UPDATE file SET path = CAST(x'2f' || zeroblob(2000) || x'ff' AS TEXT) WHERE id = (SELECT min(file_id) FROM call);
INSERT INTO string (id, text) VALUES (90001, 'kernel'), (90002, '</script>"\\' || char(8238)), (90003, CAST(x'6bff' AS TEXT));
INSERT INTO device (id, kind, name, number) VALUES (901, 'gpu', 'GPU 9', 9);
INSERT INTO process (id, pid, name, lifetime) VALUES (9001, 77, 'first', 1), (9002, 77, 'second', 2);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, stream, kind_id, name_id, process_id, correlation, source_id)
    SELECT 900000 + column1, column2, column3, 901, 70707, 90001, column4, 9001, column1, (SELECT min(id) FROM source) FROM (VALUES
    (1, 100, 100, 90002), (2, 150, 100, 90003), (3, 200, 50, 90002), (4, 250, 0, 90002), (5, 250, NULL, 90002), (6, -5, 3, 90002),
    (7, 300, 9223372036854775807, 90002));
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, nested, source_id, correlation)
    SELECT 90000000 + column1, column2, 5, (SELECT min(id) FROM op), column3, 0, (SELECT min(id) FROM source), column4 FROM (VALUES
    (1, 90, 9001, 1), (2, 95, 9002, 2), (3, 96, 9001, 99));
'''
TIME_MAX = 4 * 10**18
IN_TIME = f'start_ns BETWEEN 0 AND {TIME_MAX} AND coalesce(dur_ns, 0) BETWEEN 0 AND {TIME_MAX} - start_ns'

EVENTS = {
    'call': f'''SELECT o.name, start_ns, dur_ns, coalesce(f.path, f.name) AS file, ret, asked_bytes, done_bytes, offset_bytes, fd,
        a.text AS args, cold_bytes, correlation FROM call AS c JOIN op AS o ON o.id = op_id LEFT JOIN file AS f ON f.id = file_id
        LEFT JOIN string AS a ON a.id = args_id WHERE {IN_TIME}''',
    'block_request': f'''SELECT CASE op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END, b.start_ns, dur_ns, bytes, sector,
        queue_ns, p.name AS process FROM block_request AS b LEFT JOIN process AS p ON p.id = process_id
        WHERE b.start_ns BETWEEN 0 AND {TIME_MAX} AND coalesce(dur_ns, 0) >= 0''',
    'sched': f'''SELECT s.text, start_ns, dur_ns, cpu, r.text AS reason FROM sched_slice JOIN string AS s ON s.id = state_id
        LEFT JOIN string AS r ON r.id = reason_id WHERE {IN_TIME}''',
    'gpu': f'''SELECT n.text, start_ns, dur_ns, k.text AS kind, bytes, correlation FROM gpu_op JOIN string AS n ON n.id = name_id
        JOIN string AS k ON k.id = kind_id WHERE {IN_TIME}''',
    'span': f'''SELECT n.text || CASE WHEN k.text = 'phase' AND number IS NOT NULL THEN ' ' || number ELSE '' END, start_ns, dur_ns,
        number, run_number, s.text AS state, a.text AS args FROM span JOIN string AS n ON n.id = name_id
        JOIN string AS k ON k.id = kind_id JOIN string AS s ON s.id = state_id LEFT JOIN string AS a ON a.id = args_id WHERE {IN_TIME}''',
    'mark': '''SELECT n.text, ts_ns, NULL, value, a.text AS args FROM mark JOIN string AS n ON n.id = name_id
        LEFT JOIN string AS a ON a.id = args_id''',
    'loss': '''SELECT 'lost: ' || name, l.start_ns, dur_ns, lost, generated, path AS file FROM loss AS l JOIN source AS s
        ON s.id = source_id WHERE lost > 0 UNION ALL SELECT 'lost', coalesce(first_ns, (SELECT start_ns FROM run)),
        coalesce(last_ns - first_ns, 0), lost_events, NULL, path FROM source AS s WHERE lost_events > 0
        AND s.id NOT IN (SELECT source_id FROM loss WHERE lost > 0)''',
}
SAMPLES = '''SELECT CASE WHEN p.id IS NOT NULL AND d.id IS NOT NULL THEN t.name || ' of ' || d.name ELSE t.name END, t.unit,
    CASE WHEN p.id IS NULL THEN d.name END, p.pid, ts_ns - coalesce(dur_ns, 0), value FROM sample JOIN track AS t ON t.id = track_id
    LEFT JOIN device AS d ON d.id = t.device_id LEFT JOIN process AS p ON p.id = t.process_id WHERE value IS NOT NULL'''
# calls and GPU work that one number joins
FLOWS = f'''WITH c AS (SELECT process_id, correlation, start_ns FROM call WHERE dur_ns IS NOT NULL AND {IN_TIME}),
    g AS (SELECT process_id, correlation, start_ns FROM gpu_op WHERE dur_ns IS NOT NULL AND {IN_TIME})
    SELECT process_id, correlation, 'call', start_ns FROM c WHERE EXISTS (SELECT 1 FROM g WHERE (process_id, correlation) = (c.process_id, c.correlation))
    UNION ALL
    SELECT process_id, correlation, 'gpu', start_ns FROM g WHERE EXISTS (SELECT 1 FROM c WHERE (process_id, correlation) = (g.process_id, g.correlation))'''


def text(raw):
    return raw.decode(errors='replace').replace('\0', '\ufffd')


def event(category, name, start, dur, args):
    """Hashable; without what is not known."""
    return (category, name, start, dur, tuple(sorted((k, v) for k, v in args.items() if v is not None)))


class Database:
    def __init__(self, tracedb, path, scratch, hostile=False):
        self.path, self.tracedb = f'{scratch}/x.db', tracedb
        done = subprocess.run([tracedb, 'import', '-q', '--force', '-o', self.path, path], stderr=subprocess.DEVNULL, check=False)
        assert done.returncode in (0, 4), done  # 4: a recording without its end
        if hostile:
            db = sqlite3.connect(self.path)
            db.executescript(HOSTILE)
            db.close()
        self.db = sqlite3.connect(f'file:{self.path}?mode=ro', uri=True)
        self.db.text_factory = text

    def export(self, form, target):
        subprocess.run([self.tracedb, 'export', '-q', '--force', self.path, '--to', f'{form}={target}'], check=True)

    def events(self):
        want = collections.Counter()
        for category, sql in EVENTS.items():
            rows = self.db.execute(sql)
            names = [d[0] for d in rows.description]
            want.update(event(category, *row[:3], dict(zip(names[3:], row[3:]))) for row in rows)
        return want

    def findings(self):
        out = subprocess.run([self.tracedb, 'analyze', '-f', 'json', self.path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False).stdout
        return collections.Counter((f['rule'], f['level'], f['finding']) for f in json.loads(out))

    def samples(self):
        return collections.Counter(self.db.execute(SAMPLES))

    def flows(self):
        joined = collections.defaultdict(list)
        for process, number, category, start in self.db.execute(FLOWS):
            joined[process, number].append((category, start))
        return collections.Counter(tuple(sorted(ends)) for ends in joined.values())


def same(what, got, want):
    """How many are not alike."""
    extra, missing = list((got - want).items()), list((want - got).items())
    if extra or missing:
        print(f'{what}: {sum(got.values())}, want {sum(want.values())}\n  only there: {extra[:3]}\n  missing: {missing[:3]}')
    return len(extra) + len(missing)
