-- Two seconds: in the first three opens of one process, of which one fails, and a stat of another; in the second a stat.
INSERT INTO run VALUES (1, 'test', '0', 1000000000, 3000000000, 0, 'given', 1000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 11, NULL, NULL, 1);
INSERT INTO op VALUES (1, 'openat', 'syscall', 'open', 'io'), (2, 'newfstatat', 'syscall', 'stat', 'io'), (3, 'read', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000000000, 100, 1, 1, NULL, 3, NULL, 0, 1),
    (2, 1500000000, 200, 1, 1, NULL, 3, NULL, 0, 1),
    (3, 1600000000, 300, 1, 1, NULL, -2, NULL, 0, 1),
    (4, 1999999999, 50, 2, 2, NULL, 0, NULL, 0, 1),
    (5, 2000000000, 10, 2, 2, NULL, 0, NULL, 0, 1),
    (6, 2000000001, 10, 3, 2, NULL, 5, 5, 0, 1);
INSERT INTO call_block VALUES (1000000000, 1, 6, 6, 2000000049, 3, 300);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('run', 0, 3000000000), ('epoch 1', 2000000000, 2500000000);
INSERT INTO op_stat VALUES
    ('op', NULL, 1, 3, 1, 3, NULL, 600, 100, 300, 200.0, 300, 300, 100.0, 1000000000, 1600000000, 0, 0);
