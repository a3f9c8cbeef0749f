-- Process 10 writes to an unnamed file and two shm files, process 20 to an eventfd and a terminal, process 30 of the same role
-- to the eventfd; regular files and other
-- devices are no matter of this report.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'vfs_rw.out', 'bpftrace', 'complete', 12, 12, 0, 0, 0, 0);
INSERT INTO string VALUES (1, ''), (2, 'torch_{}'), (3, '[eventfd]'), (4, '{}'), (5, 'x.log'), (6, 'nvidia{}'), (7, '/data'), (8, '/dev/pts');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'python', 'gpu-worker', 1),
    (3, 30, 'python', 'gpu-worker', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, NULL, '', NULL, 'unnamed', 0, NULL, 1, 0),
    (2, NULL, 'torch_1', NULL, 'shm', 0, NULL, 2, 0),
    (3, NULL, 'torch_2', NULL, 'shm', 0, NULL, 2, 0),
    (4, NULL, '[eventfd]', NULL, 'eventfd', 1, NULL, 3, 0),
    (5, '/dev/pts/0', '0', 'printed', 'terminal', 1, 8, 4, 0),
    (6, '/data/x.log', 'x.log', 'printed', 'regular', 0, 7, 5, 0),
    (7, NULL, 'nvidia0', NULL, 'device', 0, NULL, 6, 0);
INSERT INTO op VALUES
    (1, 'vfs_read', 'vfs', 'read', 'io'), (2, 'vfs_write', 'vfs', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 10, 2, 1, 1, 8, 8, 0, 1),
    (2, 3100, 20, 2, 1, 1, 8, 8, 0, 1),
    (3, 3200, 30, 2, 1, 1, 8, 8, 0, 1),
    (4, 4000, 5, 1, 1, 1, 64, 64, 0, 1),
    (5, 5000, 100, 2, 1, 2, 4096, 4096, 0, 1),
    (6, 5100, 100, 2, 1, 3, 4096, 4096, 0, 1),
    (7, 6000, 7, 2, 2, 4, 8, 8, 0, 1),
    (8, 6500, 9, 2, 2, 5, 80, 80, 0, 1),
    (9, 7000, 50, 2, 2, 6, 500, 500, 0, 1),
    (10, 7500, 50, 2, 1, 7, 500, 500, 0, 1),
    (11, 8000, 60, 3, 1, 2, 5, NULL, 0, 1),
    (12, 8500, 3, 2, 3, 4, 8, 8, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 12, 12, 8503, 5, 100);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 3150, 5050), ('epoch 1', 3150, 5050);
INSERT INTO file_stat VALUES
    ('file,process,verb', 1, 1, 'write', 3, 0, 3, 24, 60, 30, 20.0, 30, 8, 8, 8, NULL, NULL, 1000, 3200),
    ('file,verb', 1, NULL, 'write', 3, 0, 3, 24, 60, 30, 20.0, 30, 8, 8, 8, NULL, NULL, 1000, 3200),
    ('file,process,verb', 1, 1, 'read', 1, 0, 1, 64, 5, 5, 5.0, 5, 64, 64, 64, NULL, NULL, 4000, 4000),
    ('file,verb', 1, NULL, 'read', 1, 0, 1, 64, 5, 5, 5.0, 5, 64, 64, 64, NULL, NULL, 4000, 4000),
    ('file,process,verb', 2, 1, 'write', 1, 0, 1, 4096, 100, 100, 100.0, 100, 4096, 4096, 4096, NULL, NULL, 5000, 5000),
    ('file,verb', 2, NULL, 'write', 1, 0, 1, 4096, 100, 100, 100.0, 100, 4096, 4096, 4096, NULL, NULL, 5000, 5000),
    ('file,process,verb', 3, 1, 'write', 1, 0, 1, 4096, 100, 100, 100.0, 100, 4096, 4096, 4096, NULL, NULL, 5100, 5100),
    ('file,verb', 3, NULL, 'write', 1, 0, 1, 4096, 100, 100, 100.0, 100, 4096, 4096, 4096, NULL, NULL, 5100, 5100),
    ('file,process,verb', 4, 2, 'write', 1, 0, 1, 8, 7, 7, 7.0, 7, 8, 8, 8, NULL, NULL, 6000, 6000),
    ('file,process,verb', 4, 3, 'write', 1, 0, 1, 8, 3, 3, 3.0, 3, 8, 8, 8, NULL, NULL, 8500, 8500),
    ('file,verb', 4, NULL, 'write', 2, 0, 2, 16, 10, 3, 5.0, 7, 8, 8, 8, NULL, NULL, 6000, 8500),
    ('file,process,verb', 5, 2, 'write', 1, 0, 1, 80, 9, 9, 9.0, 9, 80, 64, 80, NULL, NULL, 6500, 6500),
    ('file,verb', 5, NULL, 'write', 1, 0, 1, 80, 9, 9, 9.0, 9, 80, 64, 80, NULL, NULL, 6500, 6500),
    ('file,process,verb', 6, 2, 'write', 1, 0, 1, 500, 50, 50, 50.0, 50, 500, 256, 500, NULL, NULL, 7000, 7000),
    ('file,verb', 6, NULL, 'write', 1, 0, 1, 500, 50, 50, 50.0, 50, 500, 256, 500, NULL, NULL, 7000, 7000),
    ('file,process,verb', 7, 1, 'write', 1, 0, 1, 500, 50, 50, 50.0, 50, 500, 256, 500, NULL, NULL, 7500, 7500),
    ('file,verb', 7, NULL, 'write', 1, 0, 1, 500, 50, 50, 50.0, 50, 500, 256, 500, NULL, NULL, 7500, 7500),
    ('file,process,verb', 2, 1, 'open', 1, 0, 1, NULL, 60, 60, 60.0, 60, NULL, NULL, NULL, NULL, NULL, 8000, 8000),
    ('file,verb', 2, NULL, 'open', 1, 0, 1, NULL, 60, 60, 60.0, 60, NULL, NULL, NULL, NULL, NULL, 8000, 8000);
INSERT INTO bin_stat VALUES
    (4000, 1, 1, 1, 1, 0, 64, 5),
    (1000, 1, 1, 2, 1, 0, 8, 10),
    (3000, 1, 1, 2, 2, 0, 16, 50),
    (5000, 1, 2, 2, 1, 0, 4096, 100),
    (5000, 1, 3, 2, 1, 0, 4096, 100),
    (6000, 2, 4, 2, 1, 0, 8, 7),
    (6000, 2, 5, 2, 1, 0, 80, 9),
    (7000, 2, 6, 2, 1, 0, 500, 50),
    (7000, 1, 7, 2, 1, 0, 500, 50),
    (8000, 3, 4, 2, 1, 0, 8, 3),
    (8000, 1, 2, 3, 1, 0, NULL, 60);
