-- Two processes, three files and a call whose file is unknown. Offsets are known for the reads only. Call 10 is no I/O,
-- call 4 is the same work as call 3.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 11, 11, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/data'), (2, 'a_{}.npy'), (3, ''), (4, 'regular'), (5, 'unnamed');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'python', 'gpu-worker', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/a_1.npy', 'a_1.npy', 'printed', 'regular', 0, 1, 2, 0),
    (2, '/data/a_2.npy', 'a_2.npy', 'matched', 'regular', 0, 1, 2, 1),
    (3, NULL, '', NULL, 'unnamed', 0, NULL, 3, 0);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io'),
    (4, 'vfs_read', 'vfs', 'read', 'io'), (5, 'futex', 'syscall', 'lock', 'lock');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, 100, 3, 1, 1, 3, NULL, NULL, 0, 1),
    (2, 2000, 100, 1, 1, 1, 4000, 4000, 0, 0, 1),
    (3, 3000, 300, 1, 1, 1, 4000, 4000, 4000, 0, 1),
    (4, 3010, 200, 4, 1, 1, 4000, 4000, 4000, 1, 1),
    (5, 4000, 500, 1, 1, 1, 1976, 1976, 0, 0, 1),
    (6, 5000, 100, 1, 2, 2, 10000, 10000, 0, 0, 1),
    (7, 6000, 400, 1, 2, 2, -5, NULL, 10000, 0, 1),
    (8, 7000, 50, 2, 2, 3, 8, 8, NULL, 0, 1),
    (9, 8000, 450, 2, 1, 3, 16, 16, NULL, 0, 1),
    (10, 9000, 900, 5, 1, NULL, 0, NULL, NULL, 0, 1),
    (11, 9500, 500, 3, 2, NULL, -2, NULL, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 6, 5, 5100, 5, 500), (6000, 7, 11, 5, 10000, 10, 900);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4500), ('epoch', 5000, 7000), ('epoch 1', 2000, 4500), ('epoch 2', 5000, 7000);
-- By file, class, process and so on; p50_bytes_low of the reads of file 1: 1976 4000 4000, the middle one is at least 2048.
INSERT INTO file_stat VALUES
    ('file,process,verb', 1, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('template,process,verb', 2, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('template,verb', 2, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('directory,process,verb', 1, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('directory,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('class,process,verb', 4, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('class,verb', 4, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('process,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,process,verb', 1, 1, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('file,verb', 1, NULL, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('template,process,verb', 2, 1, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('template,verb', 2, NULL, 'read', 5, 1, 5, 19976, 1400, 500, 300.0, 500, 1976, 2048, 10000, 3, 1, 2000, 6000),
    ('directory,process,verb', 1, 1, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('directory,verb', 1, NULL, 'read', 5, 1, 5, 19976, 1400, 500, 300.0, 500, 1976, 2048, 10000, 3, 1, 2000, 6000),
    ('class,process,verb', 4, 1, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('class,verb', 4, NULL, 'read', 5, 1, 5, 19976, 1400, 500, 300.0, 500, 1976, 2048, 10000, 3, 1, 2000, 6000),
    ('process,verb', 1, NULL, 'read', 3, 0, 3, 9976, 900, 500, 300.0, 500, 1976, 2048, 4000, 2, 1, 2000, 4000),
    ('file,process,verb', 2, 2, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('file,verb', 2, NULL, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('template,process,verb', 2, 2, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('directory,process,verb', 1, 2, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('class,process,verb', 4, 2, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('process,verb', 2, NULL, 'read', 2, 1, 2, 10000, 500, 400, 250.0, 400, 10000, 8192, 10000, 1, 0, 5000, 6000),
    ('file,process,verb', 3, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 7000, 7000),
    ('file,verb', 3, NULL, 'write', 2, 0, 2, 24, 500, 450, 250.0, 450, 8, 8, 16, NULL, NULL, 7000, 8000),
    ('template,process,verb', 3, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 7000, 7000),
    ('template,verb', 3, NULL, 'write', 2, 0, 2, 24, 500, 450, 250.0, 450, 8, 8, 16, NULL, NULL, 7000, 8000),
    ('directory,process,verb', NULL, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 7000, 7000),
    ('directory,verb', NULL, NULL, 'write', 2, 0, 2, 24, 500, 450, 250.0, 450, 8, 8, 16, NULL, NULL, 7000, 8000),
    ('class,process,verb', 5, 2, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 7000, 7000),
    ('class,verb', 5, NULL, 'write', 2, 0, 2, 24, 500, 450, 250.0, 450, 8, 8, 16, NULL, NULL, 7000, 8000),
    ('process,verb', 2, NULL, 'write', 1, 0, 1, 8, 50, 50, 50.0, 50, 8, 8, 8, NULL, NULL, 7000, 7000),
    ('file,process,verb', 3, 1, 'write', 1, 0, 1, 16, 450, 450, 450.0, 450, 16, 16, 16, NULL, NULL, 8000, 8000),
    ('template,process,verb', 3, 1, 'write', 1, 0, 1, 16, 450, 450, 450.0, 450, 16, 16, 16, NULL, NULL, 8000, 8000),
    ('directory,process,verb', NULL, 1, 'write', 1, 0, 1, 16, 450, 450, 450.0, 450, 16, 16, 16, NULL, NULL, 8000, 8000),
    ('class,process,verb', 5, 1, 'write', 1, 0, 1, 16, 450, 450, 450.0, 450, 16, 16, 16, NULL, NULL, 8000, 8000),
    ('process,verb', 1, NULL, 'write', 1, 0, 1, 16, 450, 450, 450.0, 450, 16, 16, 16, NULL, NULL, 8000, 8000),
    ('file,process,verb', NULL, 2, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('file,verb', NULL, NULL, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('template,process,verb', NULL, 2, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('template,verb', NULL, NULL, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('directory,process,verb', NULL, 2, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('directory,verb', NULL, NULL, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('class,process,verb', NULL, 2, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('class,verb', NULL, NULL, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500),
    ('process,verb', 2, NULL, 'open', 1, 1, 1, NULL, 500, 500, 500.0, 500, NULL, NULL, NULL, NULL, NULL, 9500, 9500);
