-- GPU 0 as recorded: at its power limit in 1 of 2 samples, hot in none; NVLink 10 and 30 MB/s; errors 7, then 9, and 1, then 1; Xid 31 twice and 79 once.
-- GPU 1 by dmon: power 20 and 40 % of the time, hot in one of four samples.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'r.spool', 'complete', 9, 9, 0, 0, 0, 0),
    (2, 'dmon.out', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO track VALUES (1, 'gpu.throttle_power', '%', 1, NULL, 1), (2, 'gpu.throttle_thermal', '%', 1, NULL, 1), (3, 'gpu.rxnvl', 'MB/s', 1, NULL, 1),
    (4, 'gpu.sbecc', 'errs', 1, NULL, 1), (5, 'gpu.dbecc', 'errs', 1, NULL, 1), (6, 'gpu.xid', '', 1, NULL, 1), (7, 'gpu.pwr', 'W', 1, NULL, 1),
    (8, 'gpu.pviol', '%', 2, NULL, 2), (9, 'gpu.tviol', 'bool', 2, NULL, 2), (10, 'gpu.pclk', 'MHz', 2, NULL, 2), (11, 'gpu.gtemp', 'C', 2, NULL, 2);
INSERT INTO sample (id, ts_ns, track_id, value) VALUES (1, 1000, 1, 100), (2, 1000, 2, 0), (3, 1000, 3, 10), (4, 1000, 4, 7), (5, 1000, 5, 1), (6, 1000, 7, 600),
    (7, 1500, 6, 31), (8, 1600, 6, 79), (9, 1700, 6, 31), (10, 2000, 1, 0), (11, 2000, 2, 0), (12, 2000, 3, 30), (13, 2000, 4, 9), (14, 2000, 5, 1),
    (15, 2000, 7, 700), (16, 1000, 8, 20), (17, 2000, 8, 40), (18, 1000, 9, 0), (19, 1100, 9, 1), (20, 1200, 9, 0), (21, 2000, 9, 0), (22, 1000, 10, 1980),
    (23, 2000, 10, 1000), (24, 1000, 11, 60), (25, 2000, 11, 90);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 1900, 3000);
