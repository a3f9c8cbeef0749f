-- A file that is read in order, one of the same kind that is jumped in, a log, and a pipe.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/{}.npy'), (2, '/d/log'), (3, 'pipe:[{}]'), (4, '/d');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/d/1.npy', '1.npy', 'printed', 'regular', 0, 4, 1, 0), (2, '/d/2.npy', '2.npy', 'printed', 'regular', 0, 4, 1, 0),
    (3, '/d/log', 'log', 'printed', 'regular', 0, 4, 2, 0), (4, NULL, 'pipe:[7]', NULL, 'pipe', 0, NULL, 3, 0);
INSERT INTO op VALUES (1, 'pread64', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
-- of file 1: 0, 100, 200 in order; of file 2: 500, 0, then on to 100
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 100, 100, 0, 0, 1),
    (2, 2000, 100, 1, 1, 1, 100, 100, 100, 0, 1),
    (3, 3000, 200, 1, 1, 1, 50, 50, 200, 0, 1),
    (4, 4000, 300, 1, 1, 2, 100, 100, 500, 0, 1),
    (5, 5000, 300, 1, 1, 2, 100, 100, 0, 0, 1),
    (6, 5500, 100, 1, 1, 2, 100, 100, 100, 0, 1),
    (7, 6000, 50, 2, 1, 3, 10, 10, NULL, 0, 1),
    (8, 7000, 900, 2, 1, 4, 10, 10, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 8, 8, 7900, 8, 900);
INSERT INTO file_stat VALUES
    ('template,verb', 1, NULL, 'read', 6, 0, 6, 550, 1100, 300, 150.0, 300, 50, 64, 100, 4, 2, 1000, 5500),
    ('template,verb', 2, NULL, 'write', 1, 0, 1, 10, 50, 50, 50.0, 50, 10, 8, 10, NULL, NULL, 6000, 6000),
    ('template,verb', 3, NULL, 'write', 1, 0, 1, 10, 900, 900, 900.0, 900, 10, 8, 10, NULL, NULL, 7000, 7000);
