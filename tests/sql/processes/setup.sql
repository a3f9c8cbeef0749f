-- A loader that reads and waits, its parent of which only CPU time is known, and one of another machine.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, command_line, parent_pid, start_ns, end_ns, exit_status, lifetime, user_ns, system_ns, max_rss_bytes, host) VALUES
    (1, 10, 'python', 'data-loader', 'python train.py', 9, 1000, 8000, -9, 1, NULL, NULL, NULL, NULL),
    (2, 9, 'python', 'gpu-worker', NULL, NULL, NULL, NULL, NULL, 1, 300, 50, 4096, NULL),
    (3, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, 'b');
INSERT INTO string VALUES (1, 'regular'), (2, 'pipe'), (3, 'x');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/d/x', 'x', 'printed', 'regular', 0, NULL, 3, 0), (2, NULL, 'pipe:[9]', NULL, 'pipe', 1, NULL, 3, 0);
INSERT INTO thread (id, tid, process_id) VALUES (1, 10, 1), (2, 11, 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'futex', 'syscall', 'lock', 'lock'), (3, 'poll', 'syscall', 'wait', 'wait'), (4, 'cudaMalloc', 'cuda', 'memory', 'memory');
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 1, 1, 5, 0, 5, 500, 800, 0, 0, 0, 0),
    ('process,op', 1, 2, 2, 0, 2, NULL, 70, 0, 0, 0, 0),
    ('process,op', 1, 3, 1, 0, 1, NULL, 30, 0, 0, 0, 0),
    ('process,op', 1, 4, 9, 0, 9, NULL, 99, 0, 0, 0, 0);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,process,verb', 1, 1, 'read', 4, 0, 4, 500, 800, 0, 0),
    ('class,process,verb', 2, 1, 'read', 1, 0, 1, 8, 9000, 0, 0);
-- the same, one by one, but for those of CUDA
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 200, 1, 1, 1, 100, 100, 0, 1),
    (2, 2000, 200, 1, 1, 1, 100, 100, 0, 1),
    (3, 2500, 40, 2, 1, NULL, 0, NULL, 0, 1),
    (4, 3000, 200, 1, 1, 1, 100, 100, 0, 1),
    (5, 4000, 200, 1, 1, 1, 200, 200, 0, 1),
    (6, 5000, 9000, 1, 1, 2, 8, 8, 0, 1),
    (7, 6000, 30, 2, 1, NULL, 0, NULL, 0, 1),
    (8, 6500, 30, 3, 1, NULL, 1, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 8, 8, 14000, 6, 9000);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 3500, 6200), ('epoch 2', 8000, 9000);
