-- a trace of strace without -T: calls whose durations nobody knows
INSERT INTO run VALUES (1, 'run1', '0', 1644092760000000000, 1644092762000000000, 0, 'sources', 1000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock, clock_error_ns, first_ns) VALUES
    (1, 'x.strace', 'strace', 'complete', 3, 3, 0, 0, 0, 0, 'utc', 0, 1644092760000000000);
INSERT INTO string VALUES (1, '/data/{}'), (2, 'regular');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/data/1', '1', 'printed', 'regular', 0, NULL, 1, 0);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,verb', 2, NULL, 'read', 3, 0, 0, 300, NULL, 0, 0),
    ('file,verb', 1, NULL, 'read', 3, 0, 0, 300, NULL, 0, 0),
    ('class,process,verb', 2, 1, 'read', 3, 0, 0, 300, NULL, 0, 0);
