INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/r/train.log'), (2, '/r/metrics'), (3, '/r/model{}.pt'), (4, 'pipe:[{}]'), (5, '/r/old.err');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'python', NULL, 1);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/r/train.log', 'train.log', 'regular', 0, 1, 0), (2, '/r/metrics', 'metrics', 'regular', 0, 2, 0), (3, '/r/model1.pt', 'model1.pt', 'regular', 0, 3, 0),
    (4, NULL, 'pipe:[7]', 'pipe', 1, 4, 0), (5, '/r/old.err', 'old.err', 'regular', 0, 5, 0);
-- 3 writes of 100 bytes in 2 s with 3 syncs; 20 of 4096; 2 of 1 MB, which is no log; 50 to a pipe; a log that is only read
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,process,verb', 1, 1, 'write', 3, 0, 3, 300, 90, 1000000000, 3000000000),
    ('template,process,verb', 1, 1, 'sync', 3, 0, 3, NULL, 6000, 1000000000, 3000000000),
    ('template,process,verb', 1, 1, 'open', 1, 0, 1, NULL, 5, 1, 1),
    ('template,process,verb', 2, 2, 'write', 20, 0, 20, 81920, 500, 1, 20000000001),
    ('template,process,verb', 3, 1, 'write', 2, 0, 2, 2000000, 9000, 1, 2),
    ('template,process,verb', 4, 1, 'write', 50, 0, 50, 500, 9000, 1, 2),
    ('template,process,verb', 5, 1, 'read', 50, 0, 50, 500, 9000, 1, 2);
-- the same, call by call
INSERT INTO op VALUES (1, 'write', 'syscall', 'write', 'io'), (2, 'fsync', 'syscall', 'sync', 'io'), (3, 'openat', 'syscall', 'open', 'io'), (4, 'read', 'syscall', 'read', 'io');
WITH RECURSIVE
    n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49),
    made (start_ns, dur_ns, op_id, process_id, file_id, bytes) AS (
        SELECT 1, 5, 3, 1, 1, NULL
        UNION ALL SELECT 1000000000 * i, 30, 1, 1, 1, 100 FROM n WHERE i BETWEEN 1 AND 3
        UNION ALL SELECT 1000000000 * i, 2000, 2, 1, 1, NULL FROM n WHERE i BETWEEN 1 AND 3
        UNION ALL SELECT CASE i WHEN 19 THEN 20000000001 ELSE 1 + 1000000000 * i END, 25, 1, 2, 2, 4096 FROM n WHERE i < 20
        UNION ALL SELECT 1 + i, 4500, 1, 1, 3, 1000000 FROM n WHERE i < 2
        UNION ALL SELECT 1 + i, 180, 1, 1, 4, 10 FROM n
        UNION ALL SELECT 1 + i, 180, 4, 1, 5, 10 FROM n
    )
INSERT INTO call (start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id)
SELECT start_ns, dur_ns, op_id, process_id, file_id, coalesce(bytes, 0), bytes, 0, 1 FROM made ORDER BY start_ns;
INSERT INTO call_block
SELECT 1, 1, max(id), count(*), max(start_ns + dur_ns), (SELECT id FROM call ORDER BY dur_ns DESC, id LIMIT 1), max(dur_ns) FROM call;
