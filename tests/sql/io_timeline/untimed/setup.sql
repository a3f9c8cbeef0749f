-- of strace without -T: nobody knows what the two took
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 2, 2, 0, 0, 0, 0);
INSERT INTO string VALUES (2, '/d/log');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'sh', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, template_id, truncated) VALUES (1, '/d/log', 'log', 'printed', 'regular', 0, 2, 0);
INSERT INTO op VALUES (2, 'write', 'syscall', 'write', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, NULL, 2, 1, 1, 100, 100, 0, 1), (2, 3000, NULL, 2, 1, 1, 100, 100, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 2, 2, NULL, 1, NULL);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 2, NULL, 'write', 2, 0, 0, 200, NULL, 1000, 3000);
INSERT INTO bucket_stat VALUES ('template,verb,size', 2, 'write', 64, 2, 200, NULL);
INSERT INTO bin_stat VALUES (1000, 1, 1, 2, 1, 0, 100, NULL), (3000, 1, 1, 2, 1, 0, 100, NULL);
