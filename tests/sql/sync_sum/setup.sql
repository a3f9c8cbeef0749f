-- Two fsyncs of a process on files of one kind, of which one fails, and a sync of another.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/c/step{}.pt');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'sync', NULL, 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/c/step1.pt', 'step1.pt', 'printed', 'regular', 0, NULL, 1, 0), (2, '/c/step2.pt', 'step2.pt', 'printed', 'regular', 0, NULL, 1, 0);
INSERT INTO op VALUES (1, 'fsync', 'syscall', 'sync', 'io'), (2, 'sync', 'syscall', 'sync', 'io'), (3, 'write', 'syscall', 'write', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 700, 1, 1, 1, 0, NULL, 0, 1),
    (2, 2000, 100, 1, 1, 2, -5, NULL, 0, 1),
    (3, 3000, 200, 2, 2, NULL, 0, NULL, 0, 1),
    (4, 4000, 5, 3, 1, 1, 8, 8, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 4, 4, 4005, 1, 700);
INSERT INTO op_stat VALUES
    ('process,op', 1, 1, 2, 1, 2, NULL, 800, 100, 700, 400.0, 700, 700, 424.264068711929, 1000, 2000, 0, 0),
    ('process,op', 2, 2, 1, 0, 1, NULL, 200, 200, 200, 200.0, 200, 200, 0.0, 3000, 3000, 0, 0),
    ('process,op', 1, 3, 1, 0, 1, 8, 5, 5, 5, 5.0, 5, 5, 0.0, 4000, 4000, 0, 0);
