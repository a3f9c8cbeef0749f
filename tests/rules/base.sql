-- What the cases of all rules have: a run of 100 s, a source that lost nothing, and names.
INSERT INTO run VALUES (1, 'test', '0', 0, 100000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns) VALUES
    (1, 'a.out', 'complete', 9, 9, 0, 0, 0, 0, 0, 1);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'openat', 'syscall', 'open', 'io'),
    (4, 'fsync', 'syscall', 'sync', 'io'), (5, 'newfstatat', 'syscall', 'stat', 'io'), (6, 'futex', 'syscall', 'lock', 'lock'),
    (7, 'cudaMalloc', 'cuda', 'memory', 'memory'), (8, 'cudaLaunchKernel', 'cuda', 'other', 'other');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1), (3, 'disk', 'nvme0n1', NULL);
INSERT INTO string VALUES (1, 'img{}.jpg'), (2, 'big.bin'), (3, 'pipe:[{}]'), (4, 'train.log');
INSERT INTO file (id, name, class, class_known, template_id, truncated) VALUES
    (1, 'img1.jpg', 'regular', 1, 1, 0), (2, 'big.bin', 'regular', 1, 2, 0), (3, 'pipe:[7]', 'pipe', 1, 3, 0), (4, 'train.log', 'regular', 1, 4, 0);
