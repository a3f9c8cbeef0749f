-- 2022-02-05 20:26:00 UTC is 1644092760 s after the epoch; the run is 90.5 s long.
INSERT INTO run VALUES (1, 'run1', '0', 1644092760000000000, 1644092850500000000, -18000, 'sources', 1000000000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock, clock_error_ns, first_ns) VALUES
    (1, 'vfs_rw.out', 'bpftrace', 'complete', 1900, 1895, 3, 2, 1, 1234, 'boot', 2500000, 1644092760000000000),
    (2, 'cpu.out', 'mpstat', 'complete', 95, 90, 5, 0, 0, 0, 'local', NULL, 1644092760000000000),
    (3, 'pids.out', 'ps', 'cut', 5, 5, 0, 0, 0, 0, NULL, NULL, NULL);
INSERT INTO string VALUES
    (1, 'phase'), (2, 'init'), (3, 'epoch'), (4, 'complete'), (5, 'unfinished'), (6, 'regular'), (7, 'unnamed'), (8, 'x'), (9, ''), (10, 'pipe'), (11, 'pipe:[{}]'), (12, '/dev/pts/{}'), (13, 'device'), (14, 'eval');
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, rank, state_id, source_id) VALUES
    (1, 1644092760000000000, 5000000000, 1, 2, NULL, 0, 4, 1), (2, 1644092765000000000, 10000000000, 1, 3, 1, 0, 4, 1),
    (3, 1644092765000000000, 10000000000, 1, 3, 1, 1, 4, 1), (4, 1644092775000000000, 21000000000, 1, 3, 2, 0, 4, 1),
    (5, 1644092796000000000, NULL, 1, 3, 3, 0, 5, 1),
    (6, 1644092797000000000, 1000000000, 1, 14, NULL, 0, 4, 1), (7, 1644092797500000000, 1000000000, 1, 14, NULL, 1, 4, 1),
    (8, 1644092847000000000, 2500000000, 1, 14, NULL, 0, 4, 1);
INSERT INTO rank_span VALUES (1), (2), (3), (4), (5), (6), (7), (8);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES
    ('init', 1644092760000000000, 1644092765000000000), ('epoch', 1644092765000000000, 1644092796000000000),
    ('epoch 1', 1644092765000000000, 1644092775000000000), ('epoch 2', 1644092775000000000, 1644092796000000000);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'sh', NULL, 1);
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/x', 'x', 'printed', 'regular', 0, NULL, 8, 0), (2, NULL, '', NULL, 'unnamed', 0, NULL, 9, 0),
    (3, NULL, 'pipe:[9]', NULL, 'pipe', 1, NULL, 11, 0), (4, '/dev/pts/0', '0', 'printed', 'terminal', 1, NULL, 12, 0), (5, '/data/y', 'y', 'printed', 'regular', 0, NULL, 8, 0),
    -- of a device and of a terminal only the name is known
    (6, NULL, 'nvidia0', NULL, 'device', 1, NULL, 8, 0), (7, NULL, '3', NULL, 'terminal', 1, NULL, 8, 0);
-- by, key, process, verb, calls, errors, timed, bytes, total; the rest is not read by this report
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,verb', 6, NULL, 'open', 1200, 3, 1200, NULL, 500000000, 0, 0),
    ('class,verb', 6, NULL, 'read', 600, 0, 600, 1500000000, 2400000000, 0, 0),
    ('class,verb', 7, NULL, 'write', 95, 0, 95, 760, 1100000000, 0, 0),
    ('file,verb', 1, NULL, 'open', 1200, 3, 1200, NULL, 500000000, 0, 0),
    ('file,verb', 1, NULL, 'read', 600, 0, 600, 1500000000, 2400000000, 0, 0),
    ('file,verb', 2, NULL, 'write', 95, 0, 95, 760, 1100000000, 0, 0),
    ('class,verb', 10, NULL, 'read', 7, 0, 7, 700, 80000000000, 0, 0),
    ('class,verb', 6, NULL, 'write', 5, 0, 5, 50, 300000000, 0, 0),
    ('file,verb', 3, NULL, 'read', 7, 0, 7, 700, 80000000000, 0, 0),
    ('file,verb', 4, NULL, 'read', 2, 0, 2, 20, 70000000000, 0, 0),
    ('file,verb', 5, NULL, 'write', 5, 0, 5, 50, 300000000, 0, 0),
    ('file,verb', 6, NULL, 'write', 9, 0, 9, 90, 200000000, 0, 0),
    ('file,verb', 7, NULL, 'read', 9, 0, 9, 90, 60000000000, 0, 0),
    ('class,process,verb', 6, 1, 'open', 1200, 3, 1200, NULL, 500000000, 0, 0),
    ('class,process,verb', 6, 1, 'read', 600, 0, 600, 1500000000, 2400000000, 0, 0),
    ('class,process,verb', 6, 2, 'write', 5, 0, 5, 50, 300000000, 0, 0),
    ('class,process,verb', 7, 2, 'write', 95, 0, 95, 760, 1100000000, 0, 0),
    ('class,process,verb', 10, 2, 'read', 7, 0, 7, 700, 80000000000, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1), (3, 'disk', 'sda', NULL), (4, 'gpu', 'GPU 2', 2);
-- 10 s long, 4 s with I/O, CPUs sampled; GPU 0 busy for 7 to 8 s, GPU 1 for 1 to 2 s
INSERT INTO segment VALUES (1644092760000000000, 10000000000, 4000000000, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2000000000, 400000000, 200000000);
-- wall, I/O, blocks, busy, both with calls, neither with calls, likewise with blocks
INSERT INTO gpu_phase VALUES
    ('(run)', NULL, 1, 'bounds', 10000000000, 4000000000, NULL, 7000000000, 8000000000, 1000000000, 4000000000, 0, 3000000000, NULL, NULL, NULL, NULL, NULL),
    ('(run)', NULL, 2, 'estimate', 10000000000, 4000000000, NULL, 1000000000, 2000000000, 0, 2000000000, 4000000000, 6000000000, NULL, NULL, NULL, NULL, NULL),
    ('(run)', NULL, 4, 'exact', 10000000000, 4000000000, NULL, 5000000000, 5000000000, 3000000000, 3000000000, 4000000000, 4000000000, NULL, NULL, NULL, NULL, NULL),
    ('epoch', NULL, 4, 'exact', 5000000000, 4000000000, NULL, 1000000000, 1000000000, 1000000000, 1000000000, 1000000000, 1000000000, NULL, NULL, NULL, NULL, NULL);
-- put down to reads and to nothing: 0 .. 3 and 0 .. 3 s, 2 .. 4 and 4 .. 6 s, 1 and 4 s
INSERT INTO gpu_idle_part VALUES
    ('(run)', NULL, NULL, 1, 'file read', 'bounds', 4000000000, 0, 3000000000, NULL),
    ('(run)', NULL, NULL, 1, 'unexplained', 'bounds', 6000000000, 0, 3000000000, NULL),
    ('(run)', NULL, NULL, 1, 'file write', 'bounds', 0, 0, 0, NULL),
    ('(run)', NULL, NULL, 2, 'file read', 'estimate', 4000000000, 2000000000, 4000000000, NULL),
    ('(run)', NULL, NULL, 2, 'unexplained', 'estimate', 6000000000, 4000000000, 6000000000, NULL),
    ('(run)', NULL, NULL, 4, 'file read', 'exact', 4000000000, 1000000000, 1000000000, NULL),
    ('(run)', NULL, NULL, 4, 'unexplained', 'exact', 6000000000, 4000000000, 4000000000, NULL),
    ('epoch', NULL, NULL, 4, 'file read', 'exact', 4000000000, 4000000000, 4000000000, NULL);
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, source_id) VALUES
    (1, 1644092761000000000, 100000, 3, 0, 4096, 1), (2, 1644092761500000000, 300000, 3, 0, 8192, 1), (3, 1644092762000000000, NULL, 3, 1, 512, 1);
-- CPUs: wall 2 s, busy 0.4 to 0.5, waiting 0.2 to 0.3
INSERT INTO cpu_phase VALUES ('(run)', NULL, 2000000000, 400000000, 500000000, 200000000, 300000000, NULL, NULL), ('epoch', NULL, 1, 1, 1, 1, 1, NULL, NULL);
-- two recorders say how they were called; a profiler which GPUs there are
UPDATE source SET host = 'node1' WHERE id = 1;
INSERT INTO string VALUES (20, 'record-start'), (21, '{"command":"tracedb record -- train","kernel":"6.1.0","cpus":8}'), (22, '{"command":"other","kernel":"6.2","cpus":1}');
INSERT INTO mark (id, ts_ns, name_id, args_id, source_id) VALUES (1, 1644092760000000000, 20, 21, 1), (2, 1644092760000000001, 20, 22, 2);
INSERT INTO summary (id, source_id, name, key, value, unit) VALUES
    (1, 1, 'gpu.memory', 'GPU 0: H100', 1, 'bytes'), (2, 1, 'gpu.memory', 'GPU 1: H100', 1, 'bytes'), (3, 2, 'gpu.memory', 'GPU 1: H100', 1, 'bytes'), (4, 1, 'gpu.memory', 'GPU 2: A2', 1, 'bytes');
-- As file_stat has it: 500 + 2400 ms of file 1, 1100 of file 2 and so on; 3, 4 and 7 are waited on.
INSERT INTO top_file VALUES (0, 1, 2900000000), (0, 5, 300000000), (0, 6, 200000000), (1, 3, 80000000000), (1, 4, 70000000000), (1, 7, 60000000000), (1, 2, 1100000000);
