-- Eight calls, one of CUDA, which is not counted, and two that do not return; the run is 10000 ns long. Calls 4 and 5 start at the same time but are in different blocks.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'bpftrace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'python', 'gpu-worker', 1), (3, 30, 'sh', NULL, 1);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io'),
    (3, 'vfs_open', 'vfs', 'open', 'io'), (4, 'futex', 'syscall', 'lock', 'lock'),
    (5, 'cudaFree', 'cuda', 'memory', 'memory'), (6, 'exit_group', 'syscall', 'process', 'other');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, unfinished, source_id) VALUES
    (1, 1000, 100, 1, 1, 10, 0, 0, 1),
    (2, 2000, 200, 1, 1, 20, 0, 0, 1),
    (3, 3000, 400, 1, 2, -5, 0, 0, 1),
    (4, 5000, 300, 1, 2, 8, 0, 0, 1),
    (5, 5000, 100, 2, 1, 3, 0, 0, 1),
    (6, 5010, 30, 3, 1, 0, 1, 0, 1),
    (7, 6000, NULL, 2, 3, -2, 0, 0, 1),
    (8, 7000, 900, 4, 2, 0, 0, 0, 1),
    (9, 7500, 4000, 5, 1, 0, 0, 0, 1),
    (10, 8000, NULL, 4, 2, NULL, 0, 1, 1),
    (11, 10500, NULL, 6, 1, NULL, 0, 1, 1);
INSERT INTO call_block VALUES (1000, 1, 4, 4, 5300, 3, 400), (5000, 5, 11, 6, 11500, 9, 4000);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4000), ('epoch', 5000, 7000), ('epoch 1', 2000, 4000), ('epoch 2', 5000, 7000);
-- read, all: 100 200 300 400: median (200 + 300) / 2, p95 and p99 the 4th (ceil(3.8), ceil(3.96)); deviations from the mean of
-- 250 are 150 50 50 150, their squares 50000 in all, / 3 = 16666.67, its root 129.0994.
-- read, pid 10: 100 200: deviations 50 50, 5000 / 1, root 70.7107. read, pid 20: 300 400, the same.
INSERT INTO op_stat VALUES
    ('op', NULL, 1, 4, 1, 4, NULL, 1000, 100, 400, 250.0, 400, 400, 129.09944487358056, 1000, 5000, 0, 0),
    ('op', NULL, 2, 2, 1, 1, NULL, 100, 100, 100, 100.0, 100, 100, 0.0, 5000, 6000, 0, 0),
    ('op', NULL, 4, 2, 0, 1, NULL, 900, 900, 900, 900.0, 900, 900, 0.0, 7000, 8000, 0, 1),
    ('op', NULL, 6, 1, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10500, 10500, 0, 1),
    ('process,op', 1, 6, 1, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10500, 10500, 0, 1),
    ('op', NULL, 5, 1, 0, 1, NULL, 4000, 4000, 4000, 4000.0, 4000, 4000, 0.0, 7500, 7500, 0, 0),
    ('process,op', 1, 5, 1, 0, 1, NULL, 4000, 4000, 4000, 4000.0, 4000, 4000, 0.0, 7500, 7500, 0, 0),
    ('process,op', 1, 1, 2, 0, 2, NULL, 300, 100, 200, 150.0, 200, 200, 70.71067811865476, 1000, 2000, 0, 0),
    ('process,op', 1, 2, 1, 0, 1, NULL, 100, 100, 100, 100.0, 100, 100, 0.0, 5000, 5000, 0, 0),
    ('process,op', 2, 1, 2, 1, 2, NULL, 700, 300, 400, 350.0, 400, 400, 70.71067811865476, 3000, 5000, 0, 0),
    ('process,op', 2, 4, 2, 0, 1, NULL, 900, 900, 900, 900.0, 900, 900, 0.0, 7000, 8000, 0, 1),
    ('process,op', 3, 2, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 6000, 6000, 0, 0);
INSERT INTO nested_stat VALUES ('op', NULL, 3, 1, 0, 1, NULL, 30, 30, 30, 30.0, 30, 30), ('process,op', 1, 3, 1, 0, 1, NULL, 30, 30, 30, 30.0, 30, 30);
