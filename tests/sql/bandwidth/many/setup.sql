-- Bins of 1 s, of so many files that none is held. A file is read fast but little, one that nobody knows in two bins, and a pipe most.
INSERT INTO run VALUES (1, 'test', '0', 1000000000, 9000000000, 0, 'given', 1000000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't.out', 'strace', 'complete', 7, 7, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/d/big', 'big', 'regular', 0, 1, 0), (2, '/d/fast', 'fast', 'regular', 0, 1, 0), (3, NULL, 'pipe:[1]', 'pipe', 1, 1, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io');
INSERT INTO stat_omitted VALUES ('call_stat', 'file,process,op,bin', 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000000000, 100000000, 2, 1, 2, 3, NULL, 0, 1),
    (2, 1100000000, 100000000, 1, 1, 1, 100000000, 100000000, 0, 1),
    (3, 2000000000, 100000000, 1, 1, 2, 120000000, 120000000, 0, 1),
    (4, 3000000000, 100000000, 1, 1, NULL, 80000000, 80000000, 0, 1),
    (5, 3500000000, 100000000, 1, 1, 3, 999000000, 999000000, 0, 1),
    (6, 4000000000, 100000000, 1, 1, NULL, 50000000, 50000000, 0, 1),
    (7, 4900000000, 100000000, 1, 1, 1, 100000000, 100000000, 0, 1);
INSERT INTO call_block VALUES (1000000000, 1, 7, 7, 5000000000, 1, 100000000);
