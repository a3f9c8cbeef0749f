-- As beside, but of the work of rank 1 only its file is known, of which somebody gave the rank.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns) VALUES (1, 't', 'kineto', 'complete', 8, 8, 0, 0, 0, 0, 0);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, rank, rank_basis) VALUES
    (2, 'rank_2.log', 'mllog', 'complete', 8, 8, 0, 0, 0, 0, 0, 2, 'name'), (3, 'rank1.json', 'kineto', 'complete', 8, 8, 0, 0, 0, 0, 0, 1, 'given');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'ncclAllReduce(x)'), (3, 'ncclBroadcast(y)'), (4, 'phase'), (5, 'epoch'), (6, 'complete'), (7, 'annotation'), (8, 'forward');
INSERT INTO collective_name VALUES (2, 2, 'ncclAllReduce'), (3, 3, 'ncclBroadcast');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000, 700, 1, 1, 2, 1, 1), (2, 1600, 100, 2, 1, 2, NULL, 3), -- process 20 comes 600 later
    (3, 2000, 100, 1, 1, 2, 1, 1), (4, 1950, 150, 2, 1, 2, NULL, 3), -- process 10 comes 50 later
    (5, 3000, 10, 1, 1, 3, 1, 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, rank, state_id, source_id) VALUES
    (1, 1000, 1000, 4, 5, 1, 0, 6, 1), (2, 1000, 1100, 4, 5, 1, 1, 6, 1), (3, 1000, 1300, 4, 5, 1, NULL, 6, 2),
    (4, 2000, 1000, 4, 5, 2, 0, 6, 1), (5, 2100, 900, 4, 5, 2, 1, 6, 1), (6, 2300, 710, 4, 5, 2, NULL, 6, 2);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, rank, state_id, process_id, source_id) VALUES (7, 1000, 10, 7, 8, 0, 6, 1, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'exact', 8000, 1000, 1000), ('(run)', 2, 'exact', 8000, 1000, 1000), ('epoch', 1, 'exact', 2000, 500, 500), ('epoch', 2, 'exact', 2000, 500, 500);
INSERT INTO gpu_idle_part VALUES
    ('(run)', NULL, NULL, 1, 'other ranks', 'exact', 900, 900, 900, NULL), ('(run)', NULL, NULL, 1, 'disk read', 'bounds', 900, 100, 200, NULL),
    ('(run)', NULL, NULL, 2, 'disk read', 'bounds', 900, 400, 500, NULL), ('(run)', NULL, NULL, 2, 'file read', 'bounds', 900, 50, 90, NULL),
    ('epoch', NULL, NULL, 1, 'file write', 'exact', 300, 200, 200, NULL), ('epoch', NULL, NULL, 2, 'file read', 'bounds', 300, 100, 200, NULL),
    ('epoch', NULL, NULL, 1, 'file read', 'bounds', 300, 150, 250, NULL);
INSERT INTO rank_span VALUES (1), (2), (3), (4), (5), (6);
INSERT INTO source_process (source_id, process_id, rank, kind_id, rows, epoch_ns) VALUES
    (1, NULL, 0, 4, 2, 2000), (1, NULL, 1, 4, 2, 2000), (2, NULL, NULL, 4, 2, 2010), (1, 1, 0, 7, 1, NULL), (1, 1, NULL, NULL, 3, NULL), (3, NULL, NULL, NULL, 2, NULL);
