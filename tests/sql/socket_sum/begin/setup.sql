-- The run begins at 1030 in a bin from 1000 to 1100.
INSERT INTO run VALUES (1, 'test', '0', 1030, 1500, 0, 'given', 100);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't.out', 'strace', 'complete', 2, 2, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}'), (2, '[eventfd]'), (3, '');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'sendto', 'syscall', 'socket', 'io');
-- What is of no known date lies before all bins of the run.
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, NULL, 'tcp:10.0.0.1:5000->10.0.0.2:29500', 'socket', 1, 3, 0), (2, NULL, 'tcp:10.0.0.1:5000->10.0.0.3:80', 'socket', 1, 3, 0);
INSERT INTO bin_stat VALUES (100, 1, 2, 3, 1, 0, 8, 5), (1000, 1, 1, 3, 1, 0, 8, 10);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 120, 5, 3, 1, 2, 8, 8, 0, 1), (2, 1050, 10, 3, 1, 1, 8, 8, 0, 1);
INSERT INTO call_block VALUES (120, 1, 2, 2, 1060, 2, 10);
