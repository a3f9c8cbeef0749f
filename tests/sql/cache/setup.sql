-- x1 of 1000 bytes is read by process 10 in two calls, the second from the cache, and by process 11 again; x2 once, in part.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'recording', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}'), (2, '/d/y');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 11, 'cp', 1);
INSERT INTO device (id, kind, name) VALUES (1, 'disk', 'sda');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/d/x1', 'x1', 'regular', 0, 1, 0), (2, '/d/x2', 'x2', 'regular', 0, 1, 0), (3, '/d/y', 'y', 'regular', 0, 2, 0), (4, NULL, 'pipe:[1]', 'pipe', 1, 2, 0);
INSERT INTO op VALUES (1, 'pread64', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'vfs_read', 'vfs', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, cold_bytes, nested, source_id) VALUES
    (1, 1000, 10, 1, 1, 1, 600, 600, 0, 800, 0, 1), -- 200 read ahead
    (2, 1100, 10, 1, 1, 1, 400, 400, 600, 200, 0, 1), -- of which 200 are used now
    (3, 1200, 10, 1, 2, 1, 1000, 1000, 0, 0, 0, 1), -- again, from the cache
    (4, 1300, 10, 1, 1, 2, 500, 500, 100, 500, 0, 1), -- up to 600
    (5, 1400, 10, 1, 1, 3, 100, 100, NULL, NULL, 0, 1), -- nobody counted, and nobody knows where
    (6, 1500, 10, 1, 1, 4, 7, 7, NULL, 0, 0, 1), -- of a pipe
    (7, 1600, 10, 2, 1, 1, 50, 50, 0, 0, 0, 1), -- a write
    (8, 1000, 5, 3, 1, 1, 600, 600, 0, 800, 1, 1), -- inside call 1
    (9, 1700, 5, 1, 1, 1, -5, NULL, 0, 0, 0, 1); -- failed
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, source_id) VALUES (1, 1000, 5, 1, 0, 1500, 1), (2, 1000, 5, 1, 1, 99, 1);
