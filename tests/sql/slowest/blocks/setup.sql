-- A read of 1000 .. 6000 that lasts over four blocks of calls: of the first and the last one some begin meanwhile.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/data/x{}');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', NULL, 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'pread64', 'syscall', 'read', 'io'), (3, 'vfs_read', 'vfs', 'read', 'io'), (4, 'readv', 'syscall', 'read', 'io');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/data/x1', 'x1', 'printed', 'regular', 0, 1, 2, 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 5000, 1, 1, 1, 10, 10, 0, 1), (2, 1500, 40, 1, 1, 1, 20, 20, 0, 1),
    (3, 2000, 900, 3, 1, 1, 30, 30, 1, 1), (4, 2100, 300, 2, 1, 1, 30, 30, 0, 1),
    (5, 3000, 300, 4, 1, 1, 40, 40, 0, 1),
    (6, 5990, NULL, 1, 1, 1, NULL, NULL, 0, 1), (7, 5999, 10, 1, 1, 1, 50, 50, 0, 1), (8, 6000, 800, 1, 1, 1, 60, 60, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 2, 2, 6000, 1, 5000), (2000, 3, 4, 1, 2400, 4, 300), (3000, 5, 5, 1, 3300, 5, 300), (5990, 6, 8, 3, 6800, 8, 800);
