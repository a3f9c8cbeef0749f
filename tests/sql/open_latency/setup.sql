-- Three openat calls, two of which reach vfs_open; one vfs_open without a system call (an exec); a failed openat.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'open.out', 'bpftrace', 'complete', 6, 6, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO op VALUES (1, 'openat', 'syscall', 'open', 'io'), (2, 'vfs_open', 'vfs', 'open', 'io'), (3, 'read', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id) VALUES
    (1, 1000, 500, 1, 1, 3, 0, 1),
    (2, 1010, 100, 2, 1, 0, 1, 1),
    (3, 2000, 300, 1, 2, 4, 0, 1),
    (4, 2010, 150, 2, 2, 0, 1, 1),
    (5, 3000, 200, 1, 1, -2, 0, 1),
    (6, 4000, 40, 2, 2, 0, 0, 1),
    (7, 5000, 77, 3, 1, 9, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 7, 5, 5077, 1, 500);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('init', 1000, 2500);
INSERT INTO op_stat VALUES
    ('process,op', 1, 1, 2, 1, 2, NULL, 700, 200, 500, 350.0, 500, 500, 212.13203435596427, 1000, 3000, 0, 0),
    ('op', NULL, 1, 3, 1, 3, NULL, 1000, 200, 500, 300.0, 500, 500, 152.75252316519467, 1000, 3000, 0, 0),
    ('op', NULL, 2, 1, 0, 1, NULL, 40, 40, 40, 40.0, 40, 40, 0.0, 1010, 4000, 2, 0),
    ('process,op', 2, 1, 1, 0, 1, NULL, 300, 300, 300, 300.0, 300, 300, 0.0, 2000, 2000, 0, 0),
    ('process,op', 2, 2, 1, 0, 1, NULL, 40, 40, 40, 40.0, 40, 40, 0.0, 2010, 4000, 1, 0),
    ('process,op', 1, 3, 1, 0, 1, NULL, 77, 77, 77, 77.0, 77, 77, 0.0, 5000, 5000, 0, 0),
    ('op', NULL, 3, 1, 0, 1, NULL, 77, 77, 77, 77.0, 77, 77, 0.0, 5000, 5000, 0, 0);
INSERT INTO nested_stat VALUES
    ('op', NULL, 2, 2, 0, 2, NULL, 250, 100, 150, 125.0, 150, 150),
    ('process,op', 1, 2, 1, 0, 1, NULL, 100, 100, 100, 100.0, 100, 100),
    ('process,op', 2, 2, 1, 0, 1, NULL, 150, 150, 150, 150.0, 150, 150);
