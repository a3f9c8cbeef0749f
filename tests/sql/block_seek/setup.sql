-- sda: sectors 0, 8 (where 1 ended), 16 + 4 on, 100 sectors back, a flush, then where request 4 ended; sdb: two, of which one names no sector.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'bio.out', 'bpftrace', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 2, 'kworker/u8:1', 'kernel', 1);
INSERT INTO device (id, kind, name, number, host) VALUES (1, 'disk', 'sda', NULL, NULL), (2, 'disk', 'sdb', NULL, 'node1');
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, sector, bytes, process_id, source_id) VALUES
    (1, 1000, 100, 1, 0, 200, 4096, 1, 1),
    (2, 2000, 200, 1, 0, 208, 4096, 1, 1),
    (3, 3000, 300, 1, 0, 220, 8192, 1, 1), -- ends at 236
    (4, 4000, 400, 1, 1, 136, 512, 2, 1), -- 100 sectors back: 51200 bytes, between 32768 and 65536
    (5, 4500, 50, 1, 2, 0, 0, 2, 1),
    (6, 5000, NULL, 1, 1, 137, 1024, 2, 1),
    (7, 6000, 100, 2, 0, 0, 512, 1, 1),
    (8, 6500, 100, 2, 0, NULL, 512, 1, 1),
    (9, 7000, 500, 2, 0, 2, 512, 1, 1), -- one sector on
    (10, 8000, 100, 2, 0, 2, 512, 1, 1); -- the same again: one sector back
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4500), ('epoch 1', 2000, 4500);
