-- Two data loaders, a GPU worker that reads, too, and a loader of another role.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'x');
INSERT INTO process (id, pid, name, role, lifetime) VALUES
    (1, 10, 'python', 'data-loader', 1), (2, 11, 'python', 'data-loader', 1), (3, 20, 'python', 'gpu-worker', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/d/x', 'x', 'printed', 'regular', 0, NULL, 1, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 3, 1, 1, 3, NULL, 0, 1),
    (2, 2000, 200, 1, 1, 1, 300, 300, 0, 1),
    (3, 3000, 500, 1, 2, 1, 100, 100, 0, 1),
    (4, 3500, 700, 1, 3, 1, 999, 999, 0, 1),
    (5, 5000, 300, 1, 1, 1, 400, 400, 0, 1),
    (6, 6000, 50, 2, 2, 1, 8, 8, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 6);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 1500, 4000), ('epoch 2', 4000, 7000);
INSERT INTO file_stat VALUES
    ('process,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('process,verb', 1, NULL, 'read', 2, 0, 2, 700, 500, 300, 250.0, 300, 300, 256, 400, NULL, NULL, 2000, 5000),
    ('process,verb', 2, NULL, 'read', 1, 0, 1, 100, 500, 500, 500.0, 500, 100, 64, 100, NULL, NULL, 3000, 3000),
    ('process,verb', 2, NULL, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 6000, 6000),
    ('process,verb', 3, NULL, 'read', 1, 0, 1, 999, 700, 700, 700.0, 700, 999, 512, 999, NULL, NULL, 3500, 3500);
