-- sda: 1000 .. 1400, 1200 .. 1500, 1500 .. 1600 (when that ended), 3000 .. 3500; sdb: one without an end, and a flush. Both were sampled.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'bio.out', 'bpftrace', 'complete', 6, 6, 0, 0, 0, 0), (2, 'io.out', 'iostat', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number, host) VALUES (1, 'disk', 'sda', NULL, NULL), (2, 'disk', 'sdb', NULL, 'node1');
INSERT INTO block_request (id, start_ns, dur_ns, queue_ns, device_id, op, sector, bytes, source_id) VALUES
    (1, 1000, 400, 10, 1, 0, 0, 4096, 1),
    (2, 1200, 300, 20, 1, 1, 8, 512, 1),
    (3, 1500, 100, NULL, 1, 0, 16, 4096, 1),
    (4, 2000, NULL, NULL, 2, 0, 0, 1024, 1),
    (5, 2500, 100, NULL, 2, 2, 0, 0, 1),
    (6, 3000, 500, NULL, 1, 0, 24, 8192, 1);
INSERT INTO track VALUES
    (1, 'disk.util', '%', 1, NULL, 2), (2, 'disk.queue', '', 1, NULL, 2), (3, 'disk.r_s', '1/s', 1, NULL, 2), (4, 'disk.r_bytes_s', 'bytes/s', 1, NULL, 2),
    (5, 'disk.w_s', '1/s', 1, NULL, 2), (6, 'disk.await', 'ms', 1, NULL, 2);
INSERT INTO sample (id, ts_ns, dur_ns, track_id, value) VALUES
    (1, 1300, 1000, 1, 50), (2, 1300, 1000, 2, 0.5), (3, 1300, 1000, 3, 3000000), (4, 1300, 1000, 4, 4e9), (5, 1300, 1000, 5, NULL),
    (6, 4300, 3000, 1, 10), (7, 4300, 3000, 2, 0.1), (8, 4300, 3000, 3, 1000000), (9, 4300, 3000, 4, 2e9), (10, 4300, 3000, 6, 7);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 1100, 1550), ('epoch 1', 1100, 1550), ('epoch', 3200, 3700), ('epoch 2', 3200, 3700);
