-- Two data loaders, of which the second waits on a pipe, too, and a GPU worker that reads.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'x'), (2, 'regular'), (3, 'pipe'), (4, 'pipe:[{}]');
INSERT INTO process (id, pid, name, role, lifetime) VALUES
    (1, 10, 'python', 'data-loader', 1), (2, 11, 'python', 'data-loader', 1), (3, 20, 'python', 'gpu-worker', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/d/x', 'x', 'printed', 'regular', 0, NULL, 1, 0), (2, NULL, 'pipe:[9]', NULL, 'pipe', 1, NULL, 4, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io'), (4, 'futex', 'syscall', 'lock', 'lock');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 3, 1, 1, 3, NULL, 0, 1),
    (2, 2000, 200, 1, 1, 1, 300, 300, 0, 1),
    (3, 3000, 500, 1, 2, 1, 100, 100, 0, 1),
    (4, 3500, 700, 1, 3, 1, 999, 999, 0, 1),
    (5, 5000, 300, 1, 1, 1, 400, 400, 0, 1),
    (6, 6000, 50, 2, 2, 1, 8, 8, 0, 1),
    (7, 6500, 900, 1, 2, 2, 5000, 5000, 0, 1),
    (8, 6600, 30, 4, 2, NULL, 0, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 8, 8, 7400, 7, 900);
INSERT INTO op_stat VALUES ('process,op', 2, 4, 1, 0, 1, NULL, 30, 30, 30, 30.0, 30, 30, 0.0, 6600, 6600, 0, 0);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 1500, 4000), ('epoch 2', 4000, 7000);
INSERT INTO file_stat VALUES
    ('class,process,verb', 2, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('class,process,verb', 2, 1, 'read', 2, 0, 2, 700, 500, 300, 250.0, 300, 300, 256, 400, NULL, NULL, 2000, 5000),
    ('class,process,verb', 2, 2, 'read', 1, 0, 1, 100, 500, 500, 500.0, 500, 100, 64, 100, NULL, NULL, 3000, 3000),
    ('class,process,verb', 2, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 6000, 6000),
    ('class,process,verb', 2, 3, 'read', 1, 0, 1, 999, 700, 700, 700.0, 700, 999, 512, 999, NULL, NULL, 3500, 3500),
    ('class,process,verb', 3, 2, 'read', 1, 0, 1, 5000, 900, 900, 900.0, 900, 5000, 4096, 5000, NULL, NULL, 6500, 6500),
    ('file,process,verb', 1, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,process,verb', 1, 1, 'read', 2, 0, 2, 700, 500, 300, 250.0, 300, 300, 256, 400, NULL, NULL, 2000, 5000),
    ('file,process,verb', 1, 2, 'read', 1, 0, 1, 100, 500, 500, 500.0, 500, 100, 64, 100, NULL, NULL, 3000, 3000),
    ('file,process,verb', 1, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 6000, 6000),
    ('file,process,verb', 1, 3, 'read', 1, 0, 1, 999, 700, 700, 700.0, 700, 999, 512, 999, NULL, NULL, 3500, 3500),
    ('file,process,verb', 2, 2, 'read', 1, 0, 1, 5000, 900, 900, 900.0, 900, 5000, 4096, 5000, NULL, NULL, 6500, 6500);
