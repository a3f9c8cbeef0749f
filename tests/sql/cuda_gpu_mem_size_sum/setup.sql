-- Work on a GPU by two processes. Copies and sets are rows 5 to 8 and 10; the size of the last one is not known.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.sqlite', 'nsys', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'train', 'gpu-worker', 1), (2, 20, 'train', NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 3000);
INSERT INTO string VALUES (1, 'kernel'), (2, 'copy'), (3, 'set'), (4, 'sync'), (5, 'add'), (6, 'mul<int, 2>'),
    (7, '[CUDA memcpy Host-to-Device]'), (8, '[CUDA memset]'), (9, 'Stream sync');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, bytes, process_id, source_id) VALUES
    (1, 1000, 100, 1, 1, 5, NULL, 1, 1),
    (2, 2000, 300, 1, 1, 5, NULL, 1, 1),
    (3, 2500, 1600, 1, 1, 6, NULL, 2, 1),
    (4, 2600, NULL, 1, 1, 5, NULL, 2, 1),
    (5, 2700, 10, 1, 2, 7, 1000, 1, 1),
    (6, 4000, 20, 1, 2, 7, 2000, 1, 1),
    (7, 5000, 60, 1, 2, 7, 6000, 2, 1),
    (8, 6000, 10, 1, 3, 8, 64, 1, 1),
    (9, 7000, 8000, 1, 4, 9, NULL, 1, 1),
    (10, 8000, 20, 1, 2, 7, NULL, 2, 1);
