-- The run is from 1000 to 11000, the bins of bin_stat are 100 wide: by default rows are 100 * ceil(10000 / (60 * 100)) = 200 wide.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 100);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/data'), (2, 'x.log'), (3, ''), (4, 'y.log');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'sh', NULL, 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/x.log', 'x.log', 'printed', 'regular', 0, 1, 2, 0),
    (2, '/data/y.log', 'y.log', 'printed', 'regular', 0, 1, 4, 0),
    (3, NULL, '', NULL, 'unnamed', 0, NULL, 3, 0);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'vfs_write', 'vfs', 'write', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (0, -9000000000000000000, 10, 2, 1, 1, 5, 5, 0, 1), -- of a clock that nobody knows: centuries before the run
    (1, 1000, 10, 2, 1, 1, 100, 100, 0, 1),
    (2, 1050, 20, 2, 1, 2, 200, 200, 0, 1),
    (3, 1100, 3000, 1, 1, 3, 1, 1, 0, 1), -- waits
    (4, 1150, 30, 2, 1, 3, 8, 8, 0, 1),
    (5, 1160, 10, 2, 1, 3, 8, 8, 0, 1),
    (6, 1161, 5, 3, 1, 3, 8, 8, 1, 1),
    (7, 1190, 40, 2, 2, 1, 50, 50, 0, 1), -- ends in the next row
    (8, 4400, 500, 1, 2, 2, 1000, 1000, 0, 1), -- ends in the next but one
    (9, 5000, 10, 1, 1, 1, 70, 70, 0, 1),
    (10, 5050, 60, 2, 1, NULL, -28, NULL, 0, 1);
INSERT INTO call_block VALUES (-9000000000000000000, 0, 10, 10, 5110, 3, 3000);
INSERT INTO longest VALUES ('call', 8, 500, 1, 0), ('call', 9, 10, 1, 0), ('call', 10, 60, 2, 0), ('call', 7, 40, 2, 0), ('call', 2, 20, 2, 0), ('call', 1, 10, 2, 0),
    ('call', 0, 10, 2, 0), ('call', 3, 3000, 1, 1), ('call', 4, 30, 2, 1), ('call', 5, 10, 2, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('eval', 1155, 2000), ('eval 1', 1155, 2000);
INSERT INTO bin_stat VALUES
    (1100, 1, 3, 1, 1, 0, 1, 3000),
    (4400, 2, 2, 1, 1, 0, 1000, 500),
    (5000, 1, 1, 1, 1, 0, 70, 10),
    (-9000000000000000000, 1, 1, 2, 1, 0, 5, 10),
    (1000, 1, 1, 2, 1, 0, 100, 10),
    (1000, 1, 2, 2, 1, 0, 200, 20),
    (1100, 1, 3, 2, 2, 0, 16, 40),
    (1100, 2, 1, 2, 1, 0, 50, 40),
    (5000, 1, NULL, 2, 1, 1, NULL, 60);
-- of the write of 50 bytes in 40 ns 12 were done after 10 ns; of the read of 1000 in 500 ns 200 after each 100 ns
INSERT INTO bin_late VALUES (1000, 0, 0), (1200, 0, 38), (4500, 800, 0), (4600, 600, 0), (4700, 400, 0), (4800, 200, 0);
