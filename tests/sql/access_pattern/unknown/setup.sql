-- A read of a file, one of nobody knows what, and one of a pipe.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 3, 3, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/a'), (2, 'pipe:[{}]');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/a', 'a', 'printed', 'regular', 1, NULL, 1, 0),
    (2, NULL, 'pipe:[7]', NULL, 'pipe', 1, NULL, 2, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, 400, 1, 1, 1, 600, 600, NULL, 0, 1),
    (2, 2000, 100, 1, 1, NULL, 200, 200, NULL, 0, 1),
    (3, 3000, 900, 1, 1, 2, 8, 8, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 3, 3, 3900, 3, 900);
INSERT INTO file_stat VALUES
    ('file,verb', 1, NULL, 'read', 1, 0, 1, 600, 400, 400, 400.0, 400, 600, 512, 600, NULL, NULL, 1000, 1000),
    ('file,verb', NULL, NULL, 'read', 1, 0, 1, 200, 100, 100, 100.0, 100, 200, 128, 200, NULL, NULL, 2000, 2000),
    ('file,verb', 2, NULL, 'read', 1, 0, 1, 8, 900, 900, 900.0, 900, 8, 8, 8, NULL, NULL, 3000, 3000),
    ('template,verb', 1, NULL, 'read', 1, 0, 1, 600, 400, 400, 400.0, 400, 600, 512, 600, NULL, NULL, 1000, 1000),
    ('template,verb', NULL, NULL, 'read', 1, 0, 1, 200, 100, 100, 100.0, 100, 200, 128, 200, NULL, NULL, 2000, 2000),
    ('template,verb', 2, NULL, 'read', 1, 0, 1, 8, 900, 900, 900.0, 900, 8, 8, 8, NULL, NULL, 3000, 3000);
