-- What an import keeps of the longest: of reads two, of what waits one.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/data/x{}'), (3, 'kernel'), (4, 'gemm'), (5, 'sync');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', NULL, 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'pread64', 'syscall', 'read', 'io'), (3, 'futex', 'syscall', 'lock', 'lock');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/data/x1', 'x1', 'printed', 'regular', 0, 1, 2, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'disk', 'sda', NULL), (2, 'gpu', 'GPU 0', 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 50, 1, 1, 1, 10, 10, 0, 1), (2, 2000, 500, 2, 1, 1, 20, 20, 0, 1), (3, 2100, 9000, 3, 1, NULL, 0, NULL, 0, 1);
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, source_id) VALUES (1, 1990, 100, 1, 0, 512, 1), (2, 2000, 600, 1, 1, 512, 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES (1, 2100, 300, 2, 3, 4, 1, 1), (2, 2499, 2000, 2, 5, 5, 1, 1);
INSERT INTO call_block VALUES (1000, 1, 3, 3, 11100, 3, 9000);
INSERT INTO longest VALUES
    ('call', 2, 500, 2, 0), ('call', 1, 50, 1, 0), ('call', 3, 9000, 3, 1), ('request', 1, 100, NULL, NULL), ('request', 2, 600, NULL, NULL), ('kernel', 1, 300, NULL, NULL);
