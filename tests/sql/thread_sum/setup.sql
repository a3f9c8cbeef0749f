INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'sh', NULL, 1);
INSERT INTO thread (id, tid, process_id, name, user_ns, system_ns, voluntary_switches, involuntary_switches) VALUES (1, 10, 1, 'main', 70, 30, 5, 1), (2, 11, 1, NULL, NULL, NULL, NULL, NULL);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/x', 'x', 'regular', 0, 1, 0), (2, NULL, 'pipe:[1]', 'pipe', 1, 1, 0), (3, NULL, '', 'unnamed', 1, 1, 0);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'futex', 'syscall', 'lock', 'lock'), (3, 'poll', 'syscall', 'wait', 'wait'), (4, 'mmap', 'syscall', 'map', 'memory'),
    (5, 'clone', 'syscall', 'process', 'other'), (6, 'execve', 'syscall', 'process', 'other'), (7, 'recvfrom', 'syscall', 'socket', 'io'), (8, 'cudaMalloc', 'cuda', 'memory', 'memory');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, file_id, ret, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 1, 5, 0, 1),
    (2, 1200, 50, 1, 1, 1, 2, 5, 0, 1), -- of a pipe
    (13, 1250, 40, 1, 1, 1, 3, 5, 0, 1), -- of what has no name
    (3, 1300, 30, 2, 1, 1, NULL, -110, 0, 1),
    (4, 1400, 20, 3, 1, 1, NULL, 0, 0, 1),
    (5, 1500, 10, 4, 1, 1, NULL, 0, 0, 1),
    (6, 1600, 5, 5, 1, 1, NULL, 11, 0, 1), -- starts the other thread
    (7, 1605, 5, 5, 1, 1, NULL, -11, 0, 1), -- tried to
    (8, 1700, 400, 7, 1, 2, NULL, 1, 0, 1),
    (9, 1710, 4, 1, 1, 2, 1, 5, 1, 1), -- inside another one
    (10, 1720, 9, 8, 1, 1, NULL, 0, 0, 1), -- of CUDA
    (11, 2000, 7, 6, 2, NULL, NULL, 0, 0, 1),
    (12, 2000, NULL, 6, 2, NULL, NULL, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 12, 11, 2100, 8, 400);
