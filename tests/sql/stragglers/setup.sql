-- Two collectives of two GPUs, epochs of three ranks by their logs, and one kernel that the other rank has no counterpart of.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns) VALUES (1, 't', 'kineto', 'complete', 8, 8, 0, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'ncclAllReduce(x)'), (3, 'ncclBroadcast(y)'), (4, 'phase'), (5, 'epoch'), (6, 'complete');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000, 700, 1, 1, 2, 1, 1), (2, 1600, 100, 2, 1, 2, 2, 1), -- process 20 comes 600 later
    (3, 2000, 100, 1, 1, 2, 1, 1), (4, 1950, 150, 2, 1, 2, 2, 1), -- process 10 comes 50 later
    (5, 3000, 10, 1, 1, 3, 1, 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, rank, state_id, source_id) VALUES
    (1, 1000, 1000, 4, 5, 1, 0, 6, 1), (2, 1000, 1100, 4, 5, 1, 1, 6, 1), (3, 1000, 1300, 4, 5, 1, 2, 6, 1),
    (4, 2000, 1000, 4, 5, 2, 0, 6, 1), (5, 2100, 900, 4, 5, 2, 1, 6, 1), (6, 2300, 710, 4, 5, 2, 2, 6, 1);
