-- Two ranks, kernels in us. All-reduces:  rank 0   1000 .. 2000    3000 .. 3300    5000 .. 5100    8000 .. 8500
--                                         rank 1   1600 .. 2010    2900 .. 3310    6000 .. 6100    8000 .. 8400
-- The third of rank 0 had ended when that of rank 1 began, so they are not one. Broadcasts: rank 0 two of 50 us, rank 1 one of 80 us.
-- Whether a kernel's arguments are printed is no difference; nor is what the linker calls it one of what it is.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns) VALUES
    (1, '0.json', 'complete', 9, 9, 0, 0, 0, 0, 1), (2, '1.json', 'complete', 9, 9, 0, 0, 0, 0, 1), (3, 'x.out', 'complete', 9, 9, 0, 0, 0, 0, 1000000);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'gemm(nccl)'), (3, 'ncclKernel_AllReduce(a*)'), (4, 'ncclKernel_AllReduce'), (5, 'ncclKernel_Broadcast(a*)'),
    (6, 'cpu-op'), (7, 'complete'), (8, '_Z4gemm8ncclGemm'), (9, 'rank');
INSERT INTO collective_name VALUES (3, 3, 'ncclKernel_AllReduce'), (4, 3, 'ncclKernel_AllReduce'), (5, 5, 'ncclKernel_Broadcast');
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, rank, state_id, process_id, source_id) VALUES (2, 0, 1, 6, 2, 1, 7, 2, 2);
-- of rank 0 its environment says it, as 'record --cuda' sees it
INSERT INTO mark (id, ts_ns, name_id, rank, process_id, source_id) VALUES (1, 0, 9, 0, 1, 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 1, 3, 1, 1), (2, 1100000, 90000, 2, 1, 2, 2, 2), (3, 1600000, 410000, 2, 1, 4, 2, 2), (4, 2900000, 410000, 2, 1, 4, 2, 2),
    (5, 3000000, 300000, 1, 1, 3, 1, 1), (6, 5000000, 100000, 1, 1, 3, 1, 1), (7, 6000000, 100000, 2, 1, 4, 2, 2), (8, 8000000, 500000, 1, 1, 3, 1, 1),
    (9, 8000000, 400000, 2, 1, 4, 2, 2), (10, 9000000, 50000, 1, 1, 5, 1, 1), (11, 9000000, 80000, 2, 1, 5, 2, 2), (12, 9100000, 50000, 1, 1, 5, 1, 1),
    (13, 9500000, 70000, 1, 1, 8, 1, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 900000, 4000000);
INSERT INTO source_process (source_id, process_id, rank, kind_id, rows) VALUES (2, 2, 1, 6, 1), (1, 1, NULL, NULL, 8), (2, 2, NULL, NULL, 5);
