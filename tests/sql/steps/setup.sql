-- Three processes: one with PyTorch's steps, one with an optimizer alone, one with NVTX ranges.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'kineto', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES
    (1, 'annotation'), (2, 'gpu-annotation'), (3, 'nvtx'), (4, 'cpu-op'), (5, 'complete'), (6, 'kernel'), (7, 'copy'), (8, 'sync'), (9, 'x'),
    (20, 'ProfilerStep'), (21, 'Optimizer.step#Adam.step'), (22, 'iter 1'), (23, 'Iter 2'), (24, 'iterator'), (25, 'forward'), (26, 'ProfilerStep#9'),
    (27, 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'), (28, 'gemm');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'python', 'gpu-worker', 1), (3, 30, 'loop', NULL, 1);
INSERT INTO thread (id, tid, process_id, name) VALUES (1, 10, 1, 'python'), (2, 11, 1, 'pt_data'), (3, 20, 2, 'python'), (4, 30, 3, 'loop');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/x', 'x', 'printed', 'regular', 1, NULL, 9, 0), (2, NULL, 'pipe:[1]', NULL, 'pipe', 1, NULL, 9, 0);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, process_id, thread_id, source_id) VALUES
    (1, 1000, 100, 1, 20, 5, 5, 1, 1, 1),
    (2, 1000, 10, 1, 21, NULL, 5, 2, 3, 1),
    (3, 1100, 100, 1, 20, 6, 5, 1, 1, 1),
    (4, 1100, 20, 1, 21, NULL, 5, 2, 3, 1),
    (5, 1110, 60, 1, 21, NULL, 5, 1, 1, 1), -- has steps of its own
    (6, 1150, 10, 1, 21, NULL, 5, 2, 3, 1),
    (7, 1200, 300, 1, 20, 7, 5, 1, 1, 1),
    (8, 1200, 90, 1, 27, NULL, 5, 1, 1, 1),
    (9, 1205, 300, 2, 20, 7, 5, 1, NULL, 1), -- on the GPU
    (10, 1210, 280, 1, 27, NULL, 5, 1, 2, 1), -- another thread waits
    (11, 1500, 100, 1, 20, 8, 5, 1, 1, 1),
    (12, 1600, 100, 4, 26, NULL, 5, 1, 1, 1),
    (13, 2000, 100, 3, 22, NULL, 5, 3, 4, 1),
    (14, 2010, 10, 3, 25, NULL, 5, 3, 4, 1),
    (15, 2020, 10, 3, 24, NULL, 5, 3, 4, 1),
    (16, 2100, 50, 3, 23, NULL, 5, 3, 4, 1),
    (17, 2160, NULL, 3, 22, NULL, 5, 3, 4, 1); -- never ended
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1150, 100, 1, 6, 28, 1, 1), (2, 1240, 60, 1, 7, 28, 1, 1), (3, 1290, 20, 1, 6, 28, 1, 1), (4, 1300, 180, 1, 8, 28, 1, 1), (5, 1350, 50, 1, 6, 28, 2, 1);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1190, 30, 1, 2, 1, 7, 7, 0, 1), (2, 1250, 40, 1, 2, 1, 500, 500, 0, 1), (3, 1260, 10, 2, 2, 1, 9, 9, 1, 1), (4, 1300, 100, 1, 2, 2, 1, 1, 0, 1),
    (5, 1499, 100, 1, 2, 1, 64, 64, 0, 1), (6, 1650, 5, 2, 2, 1, 8, 8, 0, 1);
INSERT INTO call_block VALUES (1190, 1, 6, 5, 1655, 4, 100);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 900, 1600), ('epoch 1', 900, 1600);
