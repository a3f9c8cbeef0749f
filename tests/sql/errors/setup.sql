INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/data/x{}');
INSERT INTO process (id, pid, name, host, role, lifetime) VALUES (1, 10, 'python', NULL, 'data-loader', 1), (2, 11, 'cp', 'node1', NULL, 1);
INSERT INTO op VALUES
    (1, 'openat', 'syscall', 'open', 'io'), (2, 'read', 'syscall', 'read', 'io'), (3, 'cudaMalloc', 'cuda', 'memory', 'memory'),
    (4, 'odd', 'syscall', 'other', 'other');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/x1', 'x1', 'printed', 'regular', 0, 1, 2, 0), (2, NULL, 'x2', NULL, 'regular', 0, NULL, 2, 0), (3, NULL, '', NULL, 'unnamed', 0, NULL, 2, 0);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4000), ('epoch 1', 2000, 3000);
-- id, start, duration, operation, process, file, result, nested
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, nested, source_id) VALUES
    (1, 1000, 10, 1, 1, 1, -2, 0, 1),
    (2, 2000, 20, 1, 2, 1, -2, 0, 1),
    (3, 2100, 30, 1, 2, 1, -13, 0, 1),
    (4, 2200, NULL, 1, 1, 2, -2, 0, 1),
    (5, 2300, 1, 1, 1, 1, -2, 1, 1), -- inside another one
    (6, 3000, 5, 2, 1, 1, 100, 0, 1), -- did not fail
    (7, 3100, 6, 3, 1, NULL, -2, 0, 1), -- not ENOENT: cudaErrorMemoryAllocation
    (8, 3200, 7, 4, 1, 3, -200, 0, 1), -- no error has this number
    (9, 3300, 8, 2, NULL, 3, -11, 0, 1);
-- what the import counts of these: failed and not inside another one
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('op', NULL, 1, 4, 4, 3, 1000, 2200, 1, 0), ('op', NULL, 2, 2, 1, 2, 3000, 3300, 0, 0),
    ('op', NULL, 3, 1, 1, 1, 3100, 3100, 0, 0), ('op', NULL, 4, 1, 1, 1, 3200, 3200, 0, 0);
