-- Reads of 8, 4095, 4096 and no bytes, writes of 100.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/{}.npy'), (2, '/d/log'), (4, '/d');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 11, 'sh', NULL, 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/d/1.npy', '1.npy', 'printed', 'regular', 0, 4, 1, 0), (3, '/d/log', 'log', 'printed', 'regular', 0, 4, 2, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 8, 8, 0, 1),
    (2, 2000, 200, 1, 1, 1, 4095, 4095, 0, 1),
    (3, 3000, 700, 1, 1, 1, 4096, 4096, 0, 1),
    (4, 4000, 50, 1, 1, 1, 0, 0, 0, 1),
    (5, 5000, 10, 2, 2, 3, 100, 100, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 5, 5, 5010, 3, 700);
INSERT INTO file_stat VALUES
    ('template,verb', 1, NULL, 'read', 4, 0, 4, 8199, 1050, 700, 150.0, 700, 0, 8, 4096, NULL, NULL, 1000, 4000);
