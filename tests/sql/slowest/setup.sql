INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/data/x{}'), (3, 'kernel'), (4, 'gemm');
INSERT INTO process (id, pid, name, host, role, lifetime) VALUES (1, 10, 'python', NULL, 'data-loader', 1), (2, 11, 'cp', 'node1', NULL, 1);
INSERT INTO op VALUES
    (1, 'openat', 'syscall', 'open', 'io'), (2, 'read', 'syscall', 'read', 'io'), (3, 'futex', 'syscall', 'lock', 'lock'),
    (4, 'recvfrom', 'syscall', 'socket', 'io');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/x1', 'x1', 'printed', 'regular', 0, 1, 2, 0), (2, NULL, 'x2', NULL, 'regular', 0, NULL, 2, 0), (3, NULL, 'pipe:[1]', NULL, 'pipe', 1, NULL, 2, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'disk', 'sda', NULL), (2, 'gpu', 'GPU 0', 0);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4000), ('epoch 1', 2000, 3000), ('epoch 2', 3000, 4000), ('run', 1500, 8000);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, cold_bytes, nested, source_id) VALUES
    (1, 1000, 50, 1, 1, 1, -2, NULL, NULL, NULL, 0, 1),
    (2, 2000, 500, 2, 1, 1, 4096, 4096, 8192, 4096, 0, 1),
    (3, 2100, 900, 2, 1, 1, 10, 10, NULL, NULL, 1, 1), -- inside another one
    (4, 2200, 9000, 3, 1, NULL, 0, NULL, NULL, NULL, 0, 1), -- waits
    (5, 2300, 8000, 2, 1, 3, 1, 1, NULL, NULL, 0, 1), -- of a pipe: waits
    (6, 2400, 7000, 4, 1, NULL, 1, 1, NULL, NULL, 0, 1), -- of a socket: waits
    (7, 3000, 500, 2, 2, 2, 10, 10, 0, NULL, 0, 1), -- as long as call 2, and later
    (8, 5000, NULL, 2, 1, 1, NULL, NULL, NULL, NULL, 0, 1), -- nobody knows how long
    (9, 5100, 3, 1, NULL, NULL, 3, NULL, NULL, NULL, 0, 1);
-- one before call 2, two while it is in progress, of which one ends later, one at its end
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, source_id) VALUES
    (1, 1990, 100, 1, 0, 512, 1), (2, 2000, 10, 1, 0, 512, 1), (3, 2499, 100, 1, 1, 512, 1), (4, 2500, 1, 1, 0, 512, 1);
-- one before the end of call 2 and one at its end
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 2100, 300, 2, 3, 4, 1, 1), (2, 2499, 2000, 2, 3, 4, 1, 1), (3, 2500, 5, 2, 3, 4, 1, 1);
INSERT INTO call_block VALUES (1000, 1, 9, 8, 11200, 4, 9000);
