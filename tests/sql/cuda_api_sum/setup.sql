-- Calls of CUDA by two processes, and one of the operating system, which is none of this report.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.sqlite', 'nsys', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'train', 'gpu-worker', 1), (2, 20, 'train', NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 3000);
INSERT INTO op VALUES
    (1, 'cudaLaunchKernel', 'cuda', 'launch', 'other'), (2, 'cudaStreamSynchronize', 'cuda', 'wait', 'wait'),
    (3, 'read', 'libc', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 0, 0, 1),
    (2, 2000, 200, 1, 1, 0, 0, 1),
    (3, 3000, 2700, 2, 1, -1, 0, 1),
    (4, 4000, 600, 1, 2, 0, 0, 1),
    (5, 5000, 5000, 3, 1, 8, 0, 1),
    (6, 6000, NULL, 2, 2, 0, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 6, 6, 10000, 5, 5000);
-- launches, all: 100 200 600: mean 300, deviations 200 100 300, squares 140000 / 2, root 264.575; p95 and p99 the 3rd
-- launches, pid 10: 100 200: mean 150, deviations 50 50, squares 5000 / 1, root 70.7107
INSERT INTO op_stat VALUES
    ('op', NULL, 1, 3, 0, 3, NULL, 900, 100, 600, 200.0, 600, 600, 264.575131106459, 1000, 4000, 0, 0),
    ('op', NULL, 2, 2, 1, 1, NULL, 2700, 2700, 2700, 2700.0, 2700, 2700, 0.0, 3000, 6000, 0, 0),
    ('op', NULL, 3, 1, 0, 1, NULL, 5000, 5000, 5000, 5000.0, 5000, 5000, 0.0, 5000, 5000, 0, 0),
    ('process,op', 1, 1, 2, 0, 2, NULL, 300, 100, 200, 150.0, 200, 200, 70.71067811865476, 1000, 2000, 0, 0),
    ('process,op', 1, 2, 1, 1, 1, NULL, 2700, 2700, 2700, 2700.0, 2700, 2700, 0.0, 3000, 3000, 0, 0),
    ('process,op', 1, 3, 1, 0, 1, NULL, 5000, 5000, 5000, 5000.0, 5000, 5000, 0.0, 5000, 5000, 0, 0),
    ('process,op', 2, 1, 1, 0, 1, NULL, 600, 600, 600, 600.0, 600, 600, 0.0, 4000, 4000, 0, 0),
    ('process,op', 2, 2, 1, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 6000, 6000, 0, 0);
