-- Writes of two operations, between which there is one that reads, and one behind them; what an import makes of them, too.
INSERT INTO run VALUES (1, 'test', '0', 1000, 2000, 0, 'given', 100);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/data/{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/1', '1', 'printed', 'regular', 0, 1, 2, 0), (2, '/data/2', '2', 'printed', 'regular', 0, 1, 2, 0);
INSERT INTO op VALUES
    (1, 'write', 'syscall', 'write', 'io'), (2, 'read', 'syscall', 'read', 'io'), (3, 'pwrite64', 'syscall', 'write', 'io'), (4, 'fsync', 'syscall', 'sync', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 10, 1, 1, 1, 100, 100, 0, 1), (2, 1010, 20, 2, 1, 1, 5000, 5000, 0, 1), (3, 1020, 30, 3, 1, 2, 30, 30, 0, 1),
    (4, 1030, 40, 3, 1, 2, 40, 40, 0, 1), (5, 1040, 50, 4, 1, 2, 0, NULL, 0, 1), (6, 1500, 60, 1, 1, 1, 60, 60, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 6, 6, 1560, 6, 60);
INSERT INTO bin_stat VALUES
    (1000, 1, 1, 1, 1, 0, 100, 10), (1500, 1, 1, 1, 1, 0, 60, 60), (1000, 1, 1, 2, 1, 0, 5000, 20), (1000, 1, 2, 3, 2, 0, 70, 70), (1000, 1, 2, 4, 1, 0, NULL, 50);
INSERT INTO write_stat VALUES (1000, 100, 1, 3, 170, 80, 'regular', 2), (1500, 100, 1, 1, 60, 60, 'regular', 1);
