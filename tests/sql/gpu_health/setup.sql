-- GPU 0 as recorded: at its power limit in 1 of 2 samples, hot in none; NVLink 10 and 30 MB/s; errors 7, then 9, and 1, then 1; Xid 31 twice and 79 once.
-- GPU 1 by dmon: power 20 and 40 % of the time, hot in one of four samples; PCI Express 100 and 300 MB/s in, 5 and 15 out; memory at 40 and 44 degrees and
-- 2,619 MHz; engines for video 10 and 30 % and idle, for JPEG 50 %, for flow 4 %;
-- 4 MiB mapped, then 2. What pmon says of a process is not of the GPU.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'r.spool', 'complete', 9, 9, 0, 0, 0, 0),
    (2, 'dmon.out', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO track VALUES (1, 'gpu.throttle_power', '%', 1, NULL, 1), (2, 'gpu.throttle_thermal', '%', 1, NULL, 1), (3, 'gpu.rxnvl', 'MB/s', 1, NULL, 1),
    (4, 'gpu.sbecc', 'errs', 1, NULL, 1), (5, 'gpu.dbecc', 'errs', 1, NULL, 1), (6, 'gpu.xid', '', 1, NULL, 1), (7, 'gpu.pwr', 'W', 1, NULL, 1),
    (8, 'gpu.pviol', '%', 2, NULL, 2), (9, 'gpu.tviol', 'bool', 2, NULL, 2), (10, 'gpu.pclk', 'MHz', 2, NULL, 2), (11, 'gpu.gtemp', 'C', 2, NULL, 2),
    (12, 'gpu.rxpci', 'MB/s', 2, NULL, 2), (13, 'gpu.txpci', 'MB/s', 2, NULL, 2), (14, 'gpu.mtemp', 'C', 2, NULL, 2), (15, 'gpu.mclk', 'MHz', 2, NULL, 2),
    (16, 'gpu.enc', '%', 2, NULL, 2), (17, 'gpu.dec', '%', 2, NULL, 2), (18, 'gpu.jpg', '%', 2, NULL, 2), (19, 'gpu.ofa', '%', 2, NULL, 2),
    (20, 'gpu.enc', '%', 2, 1, 2), (21, 'gpu.bar1', 'bytes', 2, NULL, 2);
INSERT INTO sample (id, ts_ns, track_id, value) VALUES (1, 1000, 1, 100), (2, 1000, 2, 0), (3, 1000, 3, 10), (4, 1000, 4, 7), (5, 1000, 5, 1), (6, 1000, 7, 600),
    (7, 1500, 6, 31), (8, 1600, 6, 79), (9, 1700, 6, 31), (10, 2000, 1, 0), (11, 2000, 2, 0), (12, 2000, 3, 30), (13, 2000, 4, 9), (14, 2000, 5, 1),
    (15, 2000, 7, 700), (16, 1000, 8, 20), (17, 2000, 8, 40), (18, 1000, 9, 0), (19, 1100, 9, 1), (20, 1200, 9, 0), (21, 2000, 9, 0), (22, 1000, 10, 1980),
    (23, 2000, 10, 1000), (24, 1000, 11, 60), (25, 2000, 11, 90),
    (26, 1000, 12, 100), (27, 1800, 12, 300), (28, 1000, 13, 5), (29, 1800, 13, 15), (30, 1000, 14, 44), (31, 1800, 14, 40), (32, 1000, 15, 2619),
    (33, 1000, 16, 10), (34, 1800, 16, 30), (35, 1000, 17, 0), (36, 1000, 18, 50), (37, 1000, 19, 4), (38, 1000, 20, 100), (39, 1000, 21, 4194304), (40, 1800, 21, 2097152);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 1900, 3000);
