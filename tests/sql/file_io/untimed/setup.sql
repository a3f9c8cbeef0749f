-- No call has a duration. What is ranked first with a limit (the ids are large) must not lose what has most bytes.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 6, 6, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (20001, '/a', 'a', 'printed', 'regular', 1, NULL, 1, 0),
    (20002, '/b', 'b', 'printed', 'regular', 1, NULL, 2, 0),
    (20003, '/c', 'c', 'printed', 'regular', 1, NULL, 3, 0),
    (20004, '/d', 'd', 'printed', 'regular', 1, NULL, 4, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, NULL, 2, 1, 20001, 3, NULL, NULL, 0, 1),
    (2, 2000, NULL, 2, 1, 20002, 3, NULL, NULL, 0, 1),
    (3, 3000, NULL, 2, 1, 20002, 3, NULL, NULL, 0, 1),
    (4, 4000, NULL, 1, 1, 20003, 100, 100, NULL, 0, 1),
    (5, 5000, NULL, 1, 1, 20004, 700, 700, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 5, 5, NULL, 1, NULL);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, min_bytes, p50_bytes_low, max_bytes, first_ns, last_ns) VALUES
    ('file,verb', 20001, NULL, 'open', 1, 0, 0, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,verb', 20002, NULL, 'open', 2, 0, 0, NULL, NULL, NULL, NULL, 2000, 3000),
    ('file,verb', 20003, NULL, 'read', 1, 0, 0, 100, 100, 64, 100, 4000, 4000),
    ('file,verb', 20004, NULL, 'read', 1, 0, 0, 700, 700, 512, 700, 5000, 5000);
