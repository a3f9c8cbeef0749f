-- The same, and what the import puts beside it: the whole run is answered by that, and parts of it by the ranges.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.sqlite', 'nsys', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime)
VALUES (1, 10, 'train', 'gpu-worker', 1), (2, 20, 'train', NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 3000);
INSERT INTO string VALUES (1, 'nvtx'), (2, 'phase'), (3, 'step'), (4, 'load'), (5, 'complete'), (6, 'unfinished'),
    (7, '{"style":"PushPop"}'), (8, '{"style":"PushPop","domain":"NCCL"}'), (9, '{"style":"StartEnd","domain":7}');
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, state_id, process_id, args_id, source_id) VALUES
    (1, 500, 90000, 2, 3, 5, NULL, NULL, 1),
    (2, 1000, 100, 1, 3, 5, 1, 7, 1),
    (3, 2000, 300, 1, 3, 5, 1, NULL, 1),
    (4, 2100, NULL, 1, 4, 6, 2, 9, 1),
    (5, 2500, 400, 1, 3, 5, 2, 8, 1);
INSERT INTO range_stat (args_id, name_id, ranges, unfinished, total_ns, min_ns, max_ns, p50_ns, stddev_ns) VALUES
    (7, 3, 2, 0, 400, 100, 300, 200, 141.4213),
    (9, 4, 1, 1, 800, 800, 800, 800, 0),
    (8, 3, 1, 0, 400, 400, 400, 400, 0);
