-- Every 10 ns from 1000 on one of 120 writes begins that takes 30 ns for 30 bytes: each ends 20 ns after the next one began. Those of the first hundred are the
-- longest, so that the last twenty are looked for.
INSERT INTO run VALUES (1, 'test', '0', 1000, 2220, 0, 'given', 200);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 120, 120, 0, 0, 0, 0);
INSERT INTO string VALUES (2, '/d/log');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'sh', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, template_id, truncated) VALUES (1, '/d/log', 'log', 'printed', 'regular', 0, 2, 0);
INSERT INTO op VALUES (2, 'write', 'syscall', 'write', 'io');
WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 119)
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) SELECT n + 1, 1000 + 10 * n, 30, 2, 1, 1, 30, 30, 0, 1 FROM r;
INSERT INTO longest SELECT 'call', id, 30, 2, 0 FROM call WHERE id <= 100;
INSERT INTO call_block VALUES (1000, 1, 50, 50, 1520, 1, 30), (1500, 51, 119, 69, 2210, 51, 30), (2190, 120, 120, 1, 2220, 120, 30);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 2, NULL, 'write', 120, 0, 120, 3600, 3600, 1000, 2190);
WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 5)
INSERT INTO bin_stat SELECT 1000 + 200 * n, 1, 1, 2, 20, 0, 600, 600 FROM r;
