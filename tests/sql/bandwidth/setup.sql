-- Bins of 1 s. Process 10 reads 100 MB in one call of 0.5 s, and 200 MB in one of 2 s; process 11 writes 50 MB, twice, in one bin.
INSERT INTO run VALUES (1, 'test', '0', 1000000000, 9000000000, 0, 'given', 1000000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 11, 'cp', 1);
INSERT INTO device (id, kind, name) VALUES (1, 'disk', 'sda');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/d/x1', 'x1', 'regular', 0, 1, 0), (2, '/d/x2', 'x2', 'regular', 0, 1, 0), (3, NULL, 'pipe:[1]', 'pipe', 1, 1, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io');
INSERT INTO bin_stat VALUES
    (1000000000, 1, 1, 1, 1, 0, 100000000, 500000000),
    (3000000000, 1, 2, 1, 1, 0, 200000000, 2000000000),
    (3000000000, 1, 3, 1, 1, 0, 77, 900000000),
    (2000000000, 2, 2, 2, 2, 0, 100000000, 100000000),
    (1000000000, 1, 1, 3, 1, 0, NULL, 1000);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000000000, 500000000, 1, 1, 1, 100000000, 100000000, 0, 1),
    (2, 1600000000, 1000, 3, 1, 1, 3, NULL, 0, 1),
    (3, 2000000000, 50000000, 2, 2, 2, 50000000, 50000000, 0, 1),
    (4, 2100000000, 50000000, 2, 2, 2, 50000000, 50000000, 0, 1),
    (5, 3000000000, 2000000000, 1, 1, 2, 200000000, 200000000, 0, 1),
    (6, 3000000000, 900000000, 1, 1, 3, 77, 77, 0, 1);
INSERT INTO call_block VALUES (1000000000, 1, 6, 6, 5000000000, 5, 2000000000);
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, source_id) VALUES
    (1, 1000000000, 100000000, 1, 0, 100000000, 1), (2, 1999999999, 100000000, 1, 1, 30000000, 1), (3, 2000000000, 1, 1, 2, 512, 1);
