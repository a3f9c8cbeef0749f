-- The ids of files are so large that there may be many: with a limit they are ranked first. One process reads files, a pipe and a terminal, and
-- sends to it is not known what.
INSERT INTO run VALUES (1, 'test', '0', 1000, 40000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/data'), (2, '/data/a'), (3, '/data/b'), (4, '/data/c'), (5, '/data/d'), (6, 'pipe:[{}]'), (7, '/dev/pts'), (8, '/dev/pts/{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (20001, '/data/a', 'a', 'printed', 'regular', 1, 1, 2, 0),
    (20002, '/data/b', 'b', 'printed', 'regular', 1, 1, 3, 0),
    (20003, '/data/c', 'c', 'printed', 'regular', 1, 1, 4, 0),
    (20004, '/data/d', 'd', 'printed', 'regular', 1, 1, 5, 0),
    (20005, NULL, 'pipe:[7]', NULL, 'pipe', 1, NULL, 6, 0),
    (20006, '/dev/pts/3', '3', 'printed', 'terminal', 1, 7, 8, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'sendto', 'syscall', 'socket', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, offset_bytes, nested, source_id) VALUES
    (1, 1000, 600, 1, 1, 20001, 100, 100, NULL, 0, 1),
    (2, 2000, 300, 1, 1, 20002, 50, 50, 0, 0, 1),
    (3, 3000, 100, 2, 1, 20002, 50, 50, NULL, 0, 1),
    (4, 4000, 400, 1, 1, 20003, 200, 200, NULL, 0, 1),
    (5, 5000, 9000, 1, 1, 20005, 1, 1, NULL, 0, 1),
    (6, 15000, 8000, 1, 1, 20006, 1, 1, NULL, 0, 1),
    (7, 24000, 7000, 3, 1, NULL, 10, 10, NULL, 0, 1),
    (8, 32000, 500, 1, 1, NULL, -5, NULL, NULL, 0, 1),
    (9, 33000, 100, 1, 1, 20004, 0, 0, NULL, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 9, 9, 33100, 5, 9000);
