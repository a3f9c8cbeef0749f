-- Two ranks on two machines, in us; the clock of rank 1 is 1000 ahead. Kernels of all-reduces by the clock of each:
--     rank 0   1000 .. 2000    3000 .. 3300
--     rank 1   2600 .. 3010    3900 .. 4310
-- and the calls for them, 900 and 2800 of rank 0, 2500 and 3750 of rank 1.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns, host, rank, rank_basis) VALUES
    (1, '0.spool', 'complete', 9, 9, 0, 0, 0, 0, 1, 1000000, 'a', 0, 'given'), (2, '1.spool', 'complete', 9, 9, 0, 0, 0, 0, 500, 2600000, 'b', 1, 'given');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 0 of b', 0);
INSERT INTO process (id, pid, name, lifetime, host) VALUES (1, 10, 'train', 1, 'a'), (2, 10, 'train', 1, 'b');
INSERT INTO string VALUES (1, '{"communicator":"0x1000","rank":0}'), (2, '{"communicator":"0x2000","rank":1}'), (3, 'kernel'), (4, 'ncclKernel_AllReduce(a*)');
INSERT INTO collective_name VALUES (4, 4, 'ncclKernel_AllReduce');
INSERT INTO op VALUES (1, 'ncclAllReduce', 'cuda', 'other', 'other');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 3, 4, 1, 1), (2, 2600000, 410000, 2, 3, 4, 2, 2), (3, 3000000, 300000, 1, 3, 4, 1, 1), (4, 3900000, 410000, 2, 3, 4, 2, 2);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, asked_bytes, args_id, nested, source_id) VALUES
    (1, 900000, 100, 1, 1, 400, 1, 0, 1), (2, 2500000, 50, 1, 2, 400, 2, 0, 2), (3, 2800000, 300, 1, 1, 600, 1, 0, 1), (4, 3750000, 60, 1, 2, 600, 2, 0, 2);
