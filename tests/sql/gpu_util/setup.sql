-- GPUs 0 and 1, nvidia-smi pmon: two processes on GPU 0, one on GPU 1, which has no row at 2000 (a missing line) and '-' at 4000.
-- GPU 2, tracedb record: the whole GPU, and one of the processes on it. GPU 1 was looked at by dmon, too, which can know less.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'gpu.out', 'nvidia-smi', 'complete', 10, 10, 0, 0, 0, 0), (2, 'run.spool', 'record', 'complete', 6, 6, 0, 0, 0, 0),
    (3, 'dmon.out', 'nvidia-smi', 'complete', 2, 2, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1), (3, 'cpu', 'CPU 0', 0), (4, 'gpu', 'GPU 2', 2);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'python', 'gpu-worker', 1), (3, 30, 'train', NULL, 1);
INSERT INTO track VALUES
    (1, 'gpu.sm', '%', 1, 1, 1), (2, 'gpu.mem', '%', 1, 1, 1), (3, 'gpu.fb', 'bytes', 1, 1, 1),
    (4, 'gpu.sm', '%', 1, 2, 1), (5, 'gpu.fb', 'bytes', 1, 2, 1),
    (6, 'gpu.sm', '%', 2, 3, 1), (7, 'gpu.mem', '%', 2, 3, 1), (8, 'cpu.usr', '%', 3, NULL, 1),
    (9, 'gpu.sm', '%', 4, NULL, 2), (10, 'gpu.sm', '%', 4, 3, 2), (11, 'gpu.fb', 'bytes', 4, NULL, 2), (12, 'gpu.fb', 'bytes', 4, 3, 2),
    (13, 'gpu.sm', '%', 2, NULL, 3);
INSERT INTO sample (id, ts_ns, track_id, value) VALUES
    (1, 1000, 1, 20), (2, 1000, 2, 5), (3, 1000, 3, 1000), (4, 1000, 4, 10), (5, 1000, 5, 500), (6, 1000, 6, 80), (7, 1000, 7, 40),
    (8, 2000, 1, 60), (9, 2000, 2, 15), (10, 2000, 3, 2000), (11, 2000, 4, NULL), (12, 2000, 8, 7),
    (13, 3000, 1, 40), (14, 3000, 2, 10), (15, 3000, 4, 30), (16, 3000, 6, 90), (17, 3000, 7, 50),
    (18, 4000, 1, NULL), (19, 4000, 4, NULL), (20, 4000, 6, NULL),
    (21, 5000, 9, 70), (22, 5000, 10, 30), (23, 5000, 11, 900), (24, 5000, 12, 400), (25, 6000, 9, 50), (26, 6000, 11, 800),
    (27, 1000, 13, 1), (28, 1500, 13, 2);
UPDATE sample SET dur_ns = CASE ts_ns WHEN 5000 THEN 200 ELSE 100 END WHERE ts_ns >= 5000;
-- GPU, source, precedence, basis, from, to, points below and above, off, pace
INSERT INTO gpu_sampler VALUES
    (1, 1, 2, 'bounds', 0, 0, 0.5, 1, 0, 0), (2, 3, 4, 'estimate', 0, 0, 0.5, 1, 0, 0), (2, 1, 2, 'bounds', 0, 0, 0.5, 1, 0, 0),
    (4, 2, 1, 'bounds', 0, 0, 2, 2, 0, 0);
INSERT INTO gpu_phase VALUES ('epoch 1', NULL, 1, 'exact', 2000, NULL, NULL, 500, 500, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 1000, 3000), ('epoch 1', 1000, 3000);
