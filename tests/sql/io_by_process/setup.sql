-- Two processes called python, and a call of which no process is known. Process 20 waits on a pipe and a socket for longer than for its file.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/data'), (2, '{}.npy'), (3, 'x.log'), (4, 'pipe:[{}]'), (5, 'regular'), (6, 'pipe');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'python', 'gpu-worker', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/1.npy', '1.npy', 'printed', 'regular', 0, 1, 2, 0),
    (2, '/data/2.npy', '2.npy', 'printed', 'regular', 0, 1, 2, 0),
    (3, NULL, 'x.log', NULL, 'regular', 0, NULL, 3, 0),
    (4, NULL, 'pipe:[7]', NULL, 'pipe', 1, NULL, 4, 0);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io'),
    (4, 'vfs_read', 'vfs', 'read', 'io'), (5, 'futex', 'syscall', 'lock', 'lock'), (6, 'recvfrom', 'syscall', 'socket', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 3, 1, 1, 3, NULL, 0, 1),
    (2, 2000, 200, 1, 1, 1, 700, 700, 0, 1),
    (3, 2010, 150, 4, 1, 1, 700, 700, 1, 1),
    (4, 3000, 400, 1, 1, 2, 100, 100, 0, 1),
    (5, 4000, 900, 5, 1, NULL, 0, NULL, 0, 1),
    (6, 5000, 150, 2, 2, 3, 200, 200, 0, 1),
    (7, 6000, 50, 2, 2, 3, -28, NULL, 0, 1),
    (8, 7000, 100, 3, NULL, 2, 4, NULL, 0, 1),
    (9, 5500, 3000, 1, 2, 4, 64, 64, 0, 1),
    (10, 5600, 2000, 6, 2, NULL, 32, 32, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 10, 9, 8500, 9, 3000);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 3000, 6000), ('epoch 1', 3000, 6000);
INSERT INTO file_stat VALUES
    ('file,process,verb', 1, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('process,verb', 1, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('file,process,verb', 1, 1, 'read', 1, 0, 1, 700, 200, 200, 200.0, 200, 700, 512, 700, NULL, NULL, 2000, 2000),
    ('file,verb', 1, NULL, 'read', 1, 0, 1, 700, 200, 200, 200.0, 200, 700, 512, 700, NULL, NULL, 2000, 2000),
    ('process,verb', 1, NULL, 'read', 2, 0, 2, 800, 600, 400, 300.0, 400, 100, 64, 700, NULL, NULL, 2000, 3000),
    ('file,process,verb', 2, 1, 'read', 1, 0, 1, 100, 400, 400, 400.0, 400, 100, 64, 100, NULL, NULL, 3000, 3000),
    ('file,verb', 2, NULL, 'read', 1, 0, 1, 100, 400, 400, 400.0, 400, 100, 64, 100, NULL, NULL, 3000, 3000),
    ('file,process,verb', 3, 2, 'write', 2, 1, 2, 200, 200, 150, 100.0, 150, 200, 128, 200, NULL, NULL, 5000, 6000),
    ('file,verb', 3, NULL, 'write', 2, 1, 2, 200, 200, 150, 100.0, 150, 200, 128, 200, NULL, NULL, 5000, 6000),
    ('process,verb', 2, NULL, 'write', 2, 1, 2, 200, 200, 150, 100.0, 150, 200, 128, 200, NULL, NULL, 5000, 6000),
    ('file,verb', 2, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 7000, 7000),
    ('file,process,verb', 2, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 7000, 7000),
    ('process,verb', NULL, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 7000, 7000),
    ('file,process,verb', 4, 2, 'read', 1, 0, 1, 64, 3000, 3000, 3000.0, 3000, 64, 64, 64, NULL, NULL, 5500, 5500),
    ('process,verb', 2, NULL, 'read', 1, 0, 1, 64, 3000, 3000, 3000.0, 3000, 64, 64, 64, NULL, NULL, 5500, 5500),
    ('process,verb', 2, NULL, 'socket', 1, 0, 1, 32, 2000, 2000, 2000.0, 2000, 32, 32, 32, NULL, NULL, 5600, 5600),
    ('class,process,verb', 5, 1, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 1000, 1000),
    ('class,process,verb', 5, 1, 'read', 2, 0, 2, 800, 600, 400, 300.0, 400, 100, 64, 700, NULL, NULL, 2000, 3000),
    ('class,process,verb', 5, 2, 'write', 2, 1, 2, 200, 200, 150, 100.0, 150, 200, 128, 200, NULL, NULL, 5000, 6000),
    ('class,process,verb', 6, 2, 'read', 1, 0, 1, 64, 3000, 3000, 3000.0, 3000, 64, 64, 64, NULL, NULL, 5500, 5500),
    ('class,process,verb', NULL, 2, 'socket', 1, 0, 1, 32, 2000, 2000, 2000.0, 2000, 32, 32, 32, NULL, NULL, 5600, 5600),
    ('class,process,verb', 5, NULL, 'open', 1, 0, 1, NULL, 100, 100, 100.0, 100, NULL, NULL, NULL, NULL, NULL, 7000, 7000);
-- Process 10 spent 300 ns on 1.npy.
INSERT INTO busiest_file VALUES
    (NULL, 'regular', 2, 1, 1, 0, NULL, 100, 100),
    (1, 'regular', 2, 1, 1, 0, 100, 400, 400),
    (1, 'regular', NULL, 1, 2, 0, 700, 300, 200),
    (2, NULL, NULL, 0, 1, 0, 32, 2000, 2000),
    (2, 'regular', 3, 1, 2, 1, 200, 200, 150),
    (2, 'pipe', 4, 1, 1, 0, 64, 3000, 3000);
