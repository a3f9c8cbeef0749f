-- A read of 10,293,943 bytes in 7.000000001 s, which begins with a bin of 4 s. As real numbers of 64 bits, bytes times duration through duration is a little
-- less than the bytes.
INSERT INTO run VALUES (1, 'test', '0', 4000000000, 11000000001, 0, 'given', 4000000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 1, 1, 0, 0, 0, 0);
INSERT INTO string VALUES (2, '/d/x');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'sh', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, template_id, truncated) VALUES (1, '/d/x', 'x', 'printed', 'regular', 0, 2, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id)
VALUES (1, 4000000000, 7000000001, 1, 1, 1, 10293943, 10293943, 0, 1);
INSERT INTO longest VALUES ('call', 1, 7000000001, 1, 0);
INSERT INTO call_block VALUES (4000000000, 1, 1, 1, 11000000001, 1, 7000000001);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 2, NULL, 'read', 1, 0, 1, 10293943, 7000000001, 4000000000, 4000000000);
INSERT INTO bin_stat VALUES (4000000000, 1, 1, 1, 1, 0, 10293943, 7000000001);
