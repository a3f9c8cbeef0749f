INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 11, 'cp', NULL, 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'futex', 'syscall', 'lock', 'lock'), (4, 'pread64', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 1, 1, 1, 0, 0, 0, 1),
    (2, 1100, 3, 4, 1, 4096, 4096, 0, 1),
    (3, 1200, 2, 1, 2, 5000, 5000, 0, 1),
    (4, 1300, 1000, 1, 1, -5, NULL, 0, 1),
    (5, 1400, 5, 1, 1, 7, 7, 1, 1), -- inside another one
    (6, 1500, 0, 2, 1, 1, 1, 0, 1),
    (7, 1600, 100, 3, 1, 0, NULL, 0, 1), -- no I/O
    (8, 1700, NULL, 2, 1, 3, 3, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 8, 7, 2300, 4, 1000);
