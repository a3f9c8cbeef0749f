-- The run begins at 1030 in a bin from 1000 to 1100.
INSERT INTO run VALUES (1, 'test', '0', 1030, 1500, 0, 'given', 100);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't.out', 'strace', 'complete', 2, 2, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/d/x{}'), (2, '[eventfd]'), (3, '');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'sendto', 'syscall', 'socket', 'io');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/x1', 'x1', 'regular', 0, 1, 0);
INSERT INTO bin_stat VALUES (1000, 1, 1, 2, 1, 0, 140, 10);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES (1, 1050, 10, 2, 1, 1, 140, 140, 0, 1);
INSERT INTO call_block VALUES (1050, 1, 1, 1, 1060, 1, 10);
