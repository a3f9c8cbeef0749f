-- A data loader reads a file, writes to two terminals, of one of which only the number is known, and to /dev/null.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 5, 5, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'a'), (2, '/dev/pts/{}'), (3, '{}'), (4, '/dev/null'), (5, 'regular'), (6, 'device'), (7, 'terminal');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/a', 'a', 'printed', 'regular', 0, NULL, 1, 0),
    (2, '/dev/pts/3', '3', 'printed', 'terminal', 0, NULL, 2, 0),
    (3, NULL, '4', NULL, 'terminal', 0, NULL, 3, 0),
    (4, '/dev/null', 'null', 'printed', 'device', 0, NULL, 4, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 600, 600, 0, 1),
    (2, 2000, 900, 2, 1, 2, 50, 50, 0, 1),
    (3, 3000, 800, 2, 1, 3, 50, 50, 0, 1),
    (4, 4000, 300, 2, 1, 4, 200, 200, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 4, 4, 4300, 2, 900);
INSERT INTO file_stat VALUES
    ('file,process,verb', 1, 1, 'read', 1, 0, 1, 600, 100, 100, 100.0, 100, 600, 512, 600, NULL, NULL, 1000, 1000),
    ('file,process,verb', 2, 1, 'write', 1, 0, 1, 50, 900, 900, 900.0, 900, 50, 32, 50, NULL, NULL, 2000, 2000),
    ('file,process,verb', 3, 1, 'write', 1, 0, 1, 50, 800, 800, 800.0, 800, 50, 32, 50, NULL, NULL, 3000, 3000),
    ('file,process,verb', 4, 1, 'write', 1, 0, 1, 200, 300, 300, 300.0, 300, 200, 128, 200, NULL, NULL, 4000, 4000),
    ('class,process,verb', 5, 1, 'read', 1, 0, 1, 600, 100, 100, 100.0, 100, 600, 512, 600, NULL, NULL, 1000, 1000),
    ('class,process,verb', 6, 1, 'write', 1, 0, 1, 200, 300, 300, 300.0, 300, 200, 128, 200, NULL, NULL, 4000, 4000),
    -- nobody hands a task over by a terminal: it is neither I/O nor wait_ns
    ('class,process,verb', 7, 1, 'write', 2, 0, 2, 100, 1700, 900, 800.0, 900, 50, 32, 50, NULL, NULL, 2000, 3000);
