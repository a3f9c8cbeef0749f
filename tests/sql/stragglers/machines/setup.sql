-- Two ranks on two machines, each with a trace whose clock is known to 0.5 us and a log whose clock is known to 1 ms. By the clock of each, that of
-- rank 1 is 1000 us ahead. All-reduces in us:
--     rank 0   1000 .. 2000    3000 .. 3300
--     rank 1   2600 .. 3010    3900 .. 4310
-- and 'warmup' of the logs, which bounds no clock, 10000 .. 11000 and 10900 .. 12100.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns, host, rank, rank_basis) VALUES
    (1, '0.json', 'complete', 9, 9, 0, 0, 0, 0, 1, 1000000, 'a', 0, 'given'), (2, '1.json', 'complete', 9, 9, 0, 0, 0, 0, 500, 2600000, 'b', 1, 'given'),
    (3, '0.log', 'complete', 9, 9, 0, 0, 0, 0, 1000000, 1000000, 'a', 0, 'given'), (4, '1.log', 'complete', 9, 9, 0, 0, 0, 0, 1000000, 2600000, 'b', 1, 'given');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 0 of b', 0);
INSERT INTO process (id, pid, name, lifetime, host) VALUES (1, 10, 'python', 1, 'a'), (2, 10, 'python', 1, 'b');
INSERT INTO string VALUES (1, 'kernel'), (2, 'ncclKernel_AllReduce(a*)'), (3, 'phase'), (4, 'warmup'), (5, 'complete'), (6, 'annotation'), (7, 'forward');
INSERT INTO collective_name VALUES (2, 2, 'ncclKernel_AllReduce');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 1, 2, 1, 1), (2, 2600000, 410000, 2, 1, 2, 2, 2), (3, 3000000, 300000, 1, 1, 2, 1, 1), (4, 3900000, 410000, 2, 1, 2, 2, 2);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, rank, state_id, source_id) VALUES
    (1, 10000000, 1000000, 3, 4, 0, 5, 3), (2, 10900000, 1200000, 3, 4, 1, 5, 4);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, rank, state_id, process_id, source_id) VALUES (3, 1000000, 10, 6, 7, 0, 5, 1, 1), (4, 2600000, 10, 6, 7, 1, 5, 2, 2);
INSERT INTO rank_span VALUES (1), (2);
INSERT INTO source_process (source_id, process_id, rank, kind_id, rows) VALUES
    (3, NULL, 0, 3, 1), (4, NULL, 1, 3, 1), (1, 1, 0, 6, 1), (2, 2, 1, 6, 1), (1, 1, NULL, NULL, 2), (2, 2, NULL, NULL, 2);
