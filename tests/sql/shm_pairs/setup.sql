-- A loader makes two segments and the trainer maps them, one twice; a memfd that is mapped only; a file.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'record', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/dev/shm/torch_{}'), (2, 'memfd:m'), (3, '/d/x');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'pt_data_worker', 'data-loader', 1), (2, 20, 'python', 'gpu-worker', 1), (3, 30, 'sh', NULL, 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/dev/shm/torch_1', 'torch_1', 'printed', 'shm', 1, NULL, 1, 0), (2, '/dev/shm/torch_2', 'torch_2', 'printed', 'shm', 1, NULL, 1, 0),
    (3, NULL, 'memfd:m', NULL, 'memfd', 1, NULL, 2, 0), (4, '/d/x', 'x', 'printed', 'regular', 1, NULL, 3, 0);
INSERT INTO op VALUES
    (1, 'ftruncate', 'syscall', 'other', 'io'), (2, 'fallocate', 'syscall', 'other', 'io'), (3, 'mmap', 'syscall', 'map', 'memory'),
    (4, 'write', 'syscall', 'write', 'io'), (5, 'openat', 'syscall', 'open', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, asked_bytes, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, 1, 5, 1, 1, 3, NULL, NULL, NULL, 0, 1),
    (2, 1100, 1, 1, 1, 1, 0, NULL, NULL, 5000, 0, 1),
    (3, 1200, 1, 3, 1, 1, 77777, 8192, NULL, NULL, 0, 1),
    (4, 1300, 1, 4, 1, 1, 12, 12, 12, NULL, 0, 1),
    (5, 2000, 1, 3, 2, 1, 88888, 8192, NULL, NULL, 0, 1),
    (6, 2100, 1, 3, 2, 1, 99999, 4096, NULL, NULL, 0, 1),
    (7, 3000, 1, 2, 1, 2, 0, 3000, NULL, 1000, 0, 1),
    (8, 3100, 1, 2, 1, 2, -28, 900000, NULL, 0, 0, 1),
    (9, 4000, 1, 3, 2, 2, 88888, 4000, NULL, NULL, 0, 1),
    (10, 5000, 1, 3, 3, 3, 88888, 64, NULL, NULL, 0, 1),
    (11, 6000, 1, 3, 3, 4, 88888, 64, NULL, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 11, 11, 6001, 1, 1);
INSERT INTO shm_stat VALUES
    (1, 1, 5000, 1100, 8192, 8192, 1200, 12, NULL, 1000), (1, 2, NULL, NULL, 8192, 12288, 2000, NULL, NULL, 2000),
    (2, 1, 4000, 3000, NULL, NULL, NULL, NULL, NULL, 3000), (2, 2, NULL, NULL, 4000, 4000, 4000, NULL, NULL, 4000),
    (3, 3, NULL, NULL, 64, 64, 5000, NULL, NULL, 5000);
