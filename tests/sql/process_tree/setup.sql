INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
-- 20 was the number of two, the second of which started 30; 40 and 41 each name the other as parent; 50 was before its parent
INSERT INTO process (id, pid, name, command_line, parent_pid, role, start_ns, end_ns, exit_status, lifetime, host, user_ns, system_ns, max_rss_bytes) VALUES
    (1, 10, 'sh', 'sh run.sh', 1, 'launcher', 1000, 9000, 0, 1, NULL, 10, 5, 4096),
    (2, 20, 'cat', 'cat x', 10, NULL, 3000, 3100, 1, 1, NULL, 1, 1, 1024),
    (3, 20, 'python', 'python train.py', 10, 'gpu-worker', 2000, NULL, NULL, 2, NULL, NULL, NULL, NULL),
    (4, 30, 'python', NULL, 20, 'data-loader', 4000, 5000, -9, 1, NULL, 100, 20, 8192),
    (5, 40, 'a', NULL, 41, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL),
    (6, 41, 'b', NULL, 40, NULL, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL),
    (7, 50, NULL, NULL, 30, NULL, 1500, NULL, NULL, 1, NULL, NULL, NULL, NULL),
    (8, 10, 'sh', NULL, NULL, NULL, 2500, NULL, NULL, 1, 'node2', NULL, NULL, NULL),
    (9, 21, 'ls', NULL, 10, NULL, 2600, 2601, 0, 1, 'node2', NULL, NULL, NULL);
-- 20 reads 900 bytes of a pipe besides, which another process wrote
INSERT INTO string VALUES (1, 'regular'), (2, 'pipe');
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('process,verb', 3, NULL, 'read', 5, 0, 5, 1000, 10, 2000, 2100), ('process,verb', 3, NULL, 'write', 1, 0, 1, 7, 10, 2200, 2200),
    ('process,verb', 4, NULL, 'read', 1, 0, 1, 50, 10, 4100, 4100),
    ('class,process,verb', 1, 3, 'read', 2, 0, 2, 100, 10, 2000, 2100), ('class,process,verb', 2, 3, 'read', 3, 0, 3, 900, 10, 2000, 2100),
    ('class,process,verb', 1, 3, 'write', 1, 0, 1, 7, 10, 2200, 2200), ('class,process,verb', 1, 4, 'read', 1, 0, 1, 50, 10, 4100, 4100);
