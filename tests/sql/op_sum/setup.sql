-- Thread 10: a step with linear in it, that calls addmm, which calls empty (no time) and itself, and view; then view. Thread 11: mul.
-- Another process has NVTX ranges.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'kineto', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES
    (1, 'annotation'), (2, 'gpu-annotation'), (3, 'nvtx'), (4, 'cpu-op'), (5, 'complete'), (6, 'kernel'), (7, 'copy'), (8, 'sync'),
    (20, 'ProfilerStep'), (21, 'aten::linear'), (22, 'aten::addmm'), (23, 'aten::empty'), (24, 'aten::view'), (25, 'aten::mul'),
    (26, 'aten::add, seq = 5, op_id = 7'), (27, 'aten::to, op_id = 8'), (28, 'a range, of the user''s'), (29, 'gemm'), (30, 'Optimizer.step#SGD.step');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'other', NULL, 1);
INSERT INTO thread (id, tid, process_id, name) VALUES (1, 10, 1, 'python'), (2, 11, 1, 'autograd'), (3, 20, 2, 'other');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO op VALUES (1, 'cudaLaunchKernel', 'cuda', 'launch', 'other'), (2, 'cudaStreamSynchronize', 'cuda', 'wait', 'wait');
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, process_id, thread_id, source_id) VALUES
    (1, 1000, 1000, 1, 20, 3, 5, 1, 1, 1),
    (2, 1100, 300, 4, 22, NULL, 5, 1, 1, 1), -- inside 3, which begins with it
    (3, 1100, 400, 4, 21, NULL, 5, 1, 1, 1),
    (4, 1100, 200, 4, 25, NULL, 5, 1, 2, 1),
    (5, 1150, 0, 4, 23, NULL, 5, 1, 1, 1),
    (6, 1200, 50, 4, 22, NULL, 5, 1, 1, 1),
    (7, 1400, 50, 4, 24, NULL, 5, 1, 1, 1), -- when 2 ends
    (8, 1500, 100, 4, 24, NULL, 5, 1, 1, 1), -- when 3 ends
    (9, 1600, 100, 2, 20, 3, 5, 1, NULL, 1), -- on the GPU
    (10, 1650, NULL, 4, 24, NULL, 5, 1, 1, 1),
    (11, 3000, 200, 3, 28, NULL, 5, 2, 3, 1),
    (12, 3000, 100, 3, 26, NULL, 5, 2, 3, 1),
    (13, 3010, 50, 3, 27, NULL, 5, 2, 3, 1),
    (14, 3150, 20, 1, 30, NULL, 5, 2, 3, 1);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, ret, nested, source_id, correlation) VALUES
    (1, 1110, 5, 2, 1, 1, 0, 0, 1, 5), (2, 1210, 5, 1, 1, 1, 0, 0, 1, 1), (3, 1400, 5, 1, 1, 1, 0, 0, 1, 2), (4, 1700, 5, 1, 1, 1, 0, 0, 1, 3),
    (5, 2500, 5, 1, 1, 1, 0, 0, 1, 4);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, correlation, source_id) VALUES
    (1, 1120, 500, 1, 8, 29, 1, 5, 1), (2, 2100, 30, 1, 6, 29, 1, 1, 1), (3, 2200, 5, 1, 7, 29, 1, 2, 1), (4, 2300, 40, 1, 6, 29, 1, 3, 1),
    (5, 2400, 10, 1, 6, 29, 1, 3, 1), (6, 2600, 70, 1, 6, 29, 1, 4, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 1150, 1450), ('epoch 1', 1150, 1450);
