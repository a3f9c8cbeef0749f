-- A loader that reads and waits, its parent of which only CPU time is known, and one of another machine.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, command_line, parent_pid, start_ns, end_ns, exit_status, lifetime, user_ns, system_ns, max_rss_bytes, host) VALUES
    (1, 10, 'python', 'data-loader', 'python train.py', 9, 1000, 8000, -9, 1, NULL, NULL, NULL, NULL),
    (2, 9, 'python', 'gpu-worker', NULL, NULL, NULL, NULL, NULL, 1, 300, 50, 4096, NULL),
    (3, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, 'b');
INSERT INTO string VALUES (1, 'regular'), (2, 'pipe');
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
