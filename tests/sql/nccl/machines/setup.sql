-- Two ranks on two machines, kernels in us, by the clock of each; that of rank 1 is 1000 ahead. All-reduces:
--     rank 0   1000 .. 2000    3000 .. 3300
--     rank 1   2600 .. 3010    3900 .. 4310
-- and a broadcast of both, 5000 .. 5010 of rank 0 and 5400 .. 5410 of rank 1 by the clock of rank 0, more than the clocks can differ by.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns, host, rank, rank_basis) VALUES
    (1, '0.json', 'complete', 9, 9, 0, 0, 0, 0, 1, 1000000, 'a', 0, 'given'), (2, '1.json', 'complete', 9, 9, 0, 0, 0, 0, 500, 2600000, 'b', 1, 'given');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 0 of b', 0);
INSERT INTO process (id, pid, name, lifetime, host) VALUES (1, 10, 'python', 1, 'a'), (2, 10, 'python', 1, 'b');
INSERT INTO string VALUES (1, 'kernel'), (2, 'ncclKernel_AllReduce(a*)'), (3, 'ncclKernel_Broadcast(a*)');
INSERT INTO collective_name VALUES (2, 2, 'ncclKernel_AllReduce'), (3, 3, 'ncclKernel_Broadcast');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 1, 2, 1, 1), (2, 2600000, 410000, 2, 1, 2, 2, 2), (3, 3000000, 300000, 1, 1, 2, 1, 1), (4, 3900000, 410000, 2, 1, 2, 2, 2),
    (5, 5000000, 10000, 1, 1, 3, 1, 1), (6, 6400000, 10000, 2, 1, 3, 2, 2);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 900000, 2500000);
INSERT INTO source_process (source_id, process_id, rows) VALUES (1, 1, 3), (2, 2, 3);
