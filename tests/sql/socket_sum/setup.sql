INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'x');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'sshd', NULL, 1);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, NULL, 'tcp:10.0.0.1:5000->10.0.0.2:29500', 'socket', 1, 1, 0), (2, NULL, 'TCP:[10.0.0.1:6000->10.0.0.2:29500]', 'socket', 1, 1, 0),
    (3, NULL, 'unix:->/run/x', 'socket', 1, 1, 0), (4, NULL, 'socket:[77]', 'socket', 1, 1, 0), (5, '/d/x', 'x', 'regular', 1, 1, 0);
INSERT INTO op VALUES
    (1, 'connect', 'syscall', 'socket', 'wait'), (2, 'sendto', 'syscall', 'socket', 'io'), (3, 'recvmsg', 'syscall', 'socket', 'io'), (4, 'read', 'syscall', 'read', 'io'),
    (5, 'setsockopt', 'syscall', 'socket', 'other'), (6, 'write', 'syscall', 'write', 'io');
INSERT INTO bin_stat VALUES
    (1000, 1, 1, 1, 1, 1, NULL, 40),
    (1000, 1, 1, 2, 3, 0, 300, 30),
    (2000, 1, 1, 3, 2, 0, 500, 700),
    (3000, 2, 4, 3, 4, 3, 7, 60),
    (2000, 1, 2, 4, 1, 0, 100, 100),
    (3000, 2, 5, 4, 9, 0, 900, 900),
    (3000, 2, 4, 5, 9, 0, NULL, 90),
    (2000, 1, 3, 6, 1, 0, 8, 5);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 40, 1, 1, 1, -115, NULL, 0, 1),
    (2, 1100, 10, 2, 1, 1, 100, 100, 0, 1), (3, 1110, 10, 2, 1, 1, 100, 100, 0, 1), (4, 1120, 10, 2, 1, 1, 100, 100, 0, 1),
    (5, 2000, 600, 3, 1, 1, 250, 250, 0, 1), (6, 2600, 100, 3, 1, 1, 250, 250, 0, 1),
    (7, 2700, 100, 4, 1, 2, 100, 100, 0, 1), (8, 2800, 5, 6, 1, 3, 8, 8, 0, 1),
    (9, 3000, 15, 3, 2, 4, 7, 7, 0, 1), (10, 3100, 15, 3, 2, 4, -11, NULL, 0, 1), (11, 3200, 15, 3, 2, 4, -11, NULL, 0, 1), (12, 3300, 15, 3, 2, 4, -11, NULL, 0, 1),
    (13, 3400, 90, 5, 2, 4, 0, NULL, 0, 1), (14, 3500, 900, 4, 2, 5, 900, 900, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 14, 14, 4400, 14, 900);
