-- mpstat: three samples of all CPUs, of which one has no iowait, and two of CPU 0 and CPU 10. mpstat of the same machine as JSON,
-- with a sample of all CPUs at the same time as the last one of these, which adds nothing, and one of twice the length behind it.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'cpu.out', 'mpstat', 'complete', 10, 10, 0, 0, 0, 0), (2, 'cpu.json', 'mpstat-json', 'complete', 2, 2, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'cpu', 'CPU 0', 0), (2, 'cpu', 'CPU 10', 10), (3, 'gpu', 'GPU 0', 0);
INSERT INTO track VALUES
    (1, 'cpu.usr', '%', NULL, NULL, 1), (2, 'cpu.iowait', '%', NULL, NULL, 1), (3, 'cpu.idle', '%', NULL, NULL, 1),
    (4, 'cpu.usr', '%', 2, NULL, 1), (5, 'cpu.idle', '%', 2, NULL, 1),
    (6, 'cpu.usr', '%', 1, NULL, 1), (7, 'cpu.idle', '%', 1, NULL, 1), (8, 'gpu.sm', '%', 3, NULL, 1),
    (9, 'cpu.usr', '%', NULL, NULL, 2), (10, 'cpu.iowait', '%', NULL, NULL, 2), (11, 'cpu.idle', '%', NULL, NULL, 2);
INSERT INTO sample (id, ts_ns, track_id, value) VALUES
    (1, 1000, 1, 10), (2, 1000, 2, 20), (3, 1000, 3, 70), (4, 1000, 4, 1), (5, 1000, 5, 99), (6, 1000, 6, 25), (7, 1000, 7, 75),
    (8, 2000, 1, 20), (9, 2000, 2, 40), (10, 2000, 3, 40), (11, 2000, 4, 3), (12, 2000, 5, 97), (13, 2000, 6, 50), (14, 2000, 7, 50),
    (15, 3000, 1, 30), (16, 3000, 3, 50), (17, 3000, 8, 12),
    (18, 3000, 9, 99), (19, 3000, 10, 0), (20, 3000, 11, 1), (21, 5000, 9, 45), (22, 5000, 10, 0), (23, 5000, 11, 50);
UPDATE sample SET dur_ns = CASE WHEN ts_ns > 3000 THEN 2000 ELSE 1000 END;
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 1000, 2000), ('epoch 1', 1000, 2000);
-- CPU, source, machine, precedence, percents to, from, to
INSERT INTO cpu_sampler VALUES
    (NULL, 1, 'box', 1, 1, 0, 3000), (1, 1, 'box', 1, 1, 0, 2000), (2, 1, 'box', 1, 1, 0, 2000), (NULL, 2, 'box', 2, 1, 2000, 5000);
