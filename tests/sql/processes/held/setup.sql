-- Of many files: how many of the calls were sequential is not held, and nothing here asks for it. There are no calls, so that what is not
-- held would be NULL.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO string VALUES (1, 'regular'), (2, 'pipe');
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,process,verb', 1, 1, 'read', 4, 0, 4, 500, 800, 0, 0),
    ('class,process,verb', 1, 1, 'write', 1, 0, 1, 70, 20, 0, 0),
    ('class,process,verb', 2, 1, 'read', 1, 0, 1, 8, 9000, 0, 0);
INSERT INTO stat_omitted VALUES ('io_stat', 'class,process,verb', 1);
