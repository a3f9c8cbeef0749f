-- Too many files and processes for bin_stat. The run is 0 .. 200 s, the window 97.5 .. 102.5 s.
INSERT INTO run VALUES (1, 'test', '0', 0, 200000000000, 0, 'given', 1000000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'record', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO segment VALUES (0, 200000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
INSERT INTO stat_omitted VALUES ('call_stat', 'file,process,op,bin', 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'futex', 'syscall', 'lock', 'lock'), (3, 'openat', 'syscall', 'open', 'io');
INSERT INTO string (id, text) VALUES (1, 'x{}');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/data/x1', 'x1', 'regular', 0, 1, 0), (2, NULL, 'pipe:[1]', 'pipe', 1, 1, 0), (3, '/dev/pts/1', '1', 'terminal', 1, 1, 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 10000000000, 95000000000, 2, 1, NULL, 0, NULL, 0, 1), -- a lock: not asked for, however long
    (2, 60000000000, 37500000001, 1, 1, 1, 10, 10, 0, 1), -- the longest, to 97.5 s and 1 ns: into the window
    (3, 60000000001, 37499999999, 1, 1, 1, 20, 20, 0, 1), -- to 97.5 s: ends when the window begins
    (4, 70000000000, 30000000000, 1, 1, 2, 30, 30, 0, 1), -- of a pipe: waits
    (5, 97000000000, NULL, 1, 1, 1, NULL, NULL, 0, 1), -- nobody knows how long
    (6, 97400000000, 200000000, 1, 1, NULL, 40, 40, 0, 1), -- to 97.6 s, of what nobody knows
    (7, 98000000000, 300, 1, 1, 3, 50, 50, 0, 1), -- of a terminal: waits
    (8, 99000000000, 400, 1, 1, 1, 60, 60, 0, 1),
    (9, 99500000000, NULL, 1, 1, 1, NULL, NULL, 0, 1),
    (10, 120000000000, 100, 3, 1, 1, 3, NULL, 0, 1); -- later
INSERT INTO call_block VALUES (10000000000, 1, 4, 4, 105000000000, 1, 95000000000), (97000000000, 5, 10, 6, 120000000100, 6, 200000000);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, total_ns, max_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 1, 1, 8, 0, 6, 105200000700, 37500000001, 60000000000, 99500000000, 0, 0),
    ('process,op', 1, 2, 1, 0, 1, 95000000000, 95000000000, 10000000000, 10000000000, 0, 0),
    ('process,op', 1, 3, 1, 0, 1, 100, 100, 120000000000, 120000000000, 0, 0);
