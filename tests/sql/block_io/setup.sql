-- Reads by python, partly sequential, and writes by two kernel workers on sda; one write on sdb with no time known.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'bio.out', 'bpftrace', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'python', 'data-loader', 1), (2, 2, 'kworker/u8:1', 'kernel', 1), (3, 3, 'kworker/u8:2', 'kernel', 1);
INSERT INTO device (id, kind, name, number) VALUES (1, 'disk', 'sda', NULL), (2, 'disk', 'sdb', NULL);
INSERT INTO block_request (id, start_ns, dur_ns, queue_ns, device_id, op, sector, bytes, process_id, source_id) VALUES
    (1, 1000, 100, 10, 1, 0, 0, 4096, 1, 1),
    (2, 2000, 200, 20, 1, 0, 8, 4096, 1, 1),
    (3, 3000, 300, 60, 1, 0, 16, 8192, 1, 1),
    (4, 4000, 400, 30, 1, 0, 500, 4096, 1, 1),
    (5, 5000, 1000, NULL, 1, 1, 32, 512, 2, 1),
    (6, 6000, 3000, NULL, 1, 1, 33, 1024, 3, 1),
    (7, 6500, 2000, NULL, 1, 1, 35, 512, 3, 1),
    (8, 7000, NULL, NULL, 2, 1, 100, 2048, NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 5500), ('epoch 1', 2000, 5500);
