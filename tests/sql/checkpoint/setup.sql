-- Two checkpoints of a trainer, each synced and renamed; a loader that reads one; a log beside; a log tells of one as a phase.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.out', 'strace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, '/c/step{}.pt'), (2, '/c/log'), (4, '/c');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'python', 'data-loader', 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/c/step1.pt', 'step1.pt', 'printed', 'regular', 0, 4, 1, 0), (2, '/c/step2.pt', 'step2.pt', 'printed', 'regular', 0, 4, 1, 0),
    (3, '/c/log', 'log', 'printed', 'regular', 0, 4, 2, 0);
INSERT INTO op VALUES (1, 'write', 'syscall', 'write', 'io'), (2, 'fsync', 'syscall', 'sync', 'io'), (3, 'rename', 'syscall', 'rename', 'io'), (4, 'read', 'syscall', 'read', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 600, 600, 0, 1),
    (2, 1200, 100, 1, 1, 1, 400, 400, 0, 1),
    (3, 1500, 700, 2, 1, 1, 0, NULL, 0, 1),
    (4, 2300, 10, 3, 1, 1, 0, NULL, 0, 1),
    (5, 5000, 200, 1, 1, 2, 1000, 1000, 0, 1),
    (6, 6000, 300, 2, 1, 2, 0, NULL, 0, 1),
    (7, 6500, 5, 1, 1, 3, 20, 20, 0, 1),
    (8, 7000, 50, 4, 2, 1, 600, 600, 0, 1);
INSERT INTO call_block VALUES (1000, 1, 8, 8, 7050, 3, 700);
INSERT INTO file_stat VALUES
    ('file,process,verb', 1, 1, 'write', 2, 0, 2, 1000, 200, 100, 100.0, 100, 400, 256, 600, NULL, NULL, 1000, 1200),
    ('file,process,verb', 1, 1, 'sync', 1, 0, 1, NULL, 700, 700, 700.0, 700, NULL, NULL, NULL, NULL, NULL, 1500, 1500),
    ('file,process,verb', 1, 1, 'rename', 1, 0, 1, NULL, 10, 10, 10.0, 10, NULL, NULL, NULL, NULL, NULL, 2300, 2300),
    ('file,process,verb', 2, 1, 'write', 1, 0, 1, 1000, 200, 200, 200.0, 200, 1000, 512, 1000, NULL, NULL, 5000, 5000),
    ('file,process,verb', 2, 1, 'sync', 1, 0, 1, NULL, 300, 300, 300.0, 300, NULL, NULL, NULL, NULL, NULL, 6000, 6000),
    ('file,process,verb', 3, 1, 'write', 1, 0, 1, 20, 5, 5, 5.0, 5, 20, 16, 20, NULL, NULL, 6500, 6500),
    ('file,process,verb', 1, 2, 'read', 1, 0, 1, 600, 50, 50, 50.0, 50, 600, 512, 600, NULL, NULL, 7000, 7000),
    ('template,verb', 1, NULL, 'write', 3, 0, 3, 2000, 400, 200, 100.0, 200, 400, 512, 1000, NULL, NULL, 1000, 5000),
    ('template,verb', 2, NULL, 'write', 1, 0, 1, 20, 5, 5, 5.0, 5, 20, 16, 20, NULL, NULL, 6500, 6500);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('checkpoint', 1, 'bounds', 1300, 100, 400), ('checkpoint 1', 1, 'bounds', 1300, 100, 400), ('epoch', 1, 'exact', 4000, 1, 1),
    -- reading one is another phase
    ('checkpoint-load', 1, 'bounds', 7000, 0, 0);
