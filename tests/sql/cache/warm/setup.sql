-- All is in the page cache, and nothing is read twice.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/x1', 'x1', 'regular', 0, 1, 0);
INSERT INTO op VALUES (1, 'pread64', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, cold_bytes, nested, source_id) VALUES
    (1, 1000, 10, 1, 1, 1, 600, 600, 0, 0, 0, 1), (2, 1100, 10, 1, 1, 1, 400, 400, 600, 0, 0, 1);
