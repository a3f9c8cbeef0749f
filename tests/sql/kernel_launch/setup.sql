-- In us. GPU 0:  kernel    launched    gap before it
--                100..110     90..95   (the first work)
--                120..130     97..99   10, launched before it began
--                150..160   135..140   20, launched in it
--        a copy  165..170
--                180..190   172..176   10, launched in it
--                400..410   395..398   230: too long
--                410..420   with that  none: a graph of two kernels
--                430..440   unknown    10
-- Somebody waits from 0 to 1000, which is no work. GPU 1, of whose process no calls were recorded: 200..300, 310..320.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'sync'), (3, 'copy'), (4, 'gemm'), (5, 'phase'), (6, 'epoch'), (7, 'complete');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, correlation, source_id) VALUES
    (1, 0, 1000000, 1, 2, 4, 1, 99, 1), (2, 100000, 10000, 1, 1, 4, 1, 1, 1), (3, 120000, 10000, 1, 1, 4, 1, 2, 1),
    (4, 150000, 10000, 1, 1, 4, 1, 3, 1), (5, 165000, 5000, 1, 3, 4, 1, 4, 1), (6, 180000, 10000, 1, 1, 4, 1, 5, 1),
    (7, 200000, 100000, 2, 1, 4, 2, 1, 1), (8, 310000, 10000, 2, 1, 4, 2, 2, 1), (9, 400000, 10000, 1, 1, 4, 1, 6, 1),
    (10, 410000, 10000, 1, 1, 4, 1, 6, 1), (11, 430000, 10000, 1, 1, 4, 1, 9, 1);
INSERT INTO op VALUES (1, 'cudaLaunchKernel', 'cuda', 'launch', 'other'), (2, 'cudaMemcpyAsync', 'cuda', 'copy', 'other');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, nested, correlation, source_id) VALUES
    (1, 90000, 5000, 1, 1, 0, 1, 1), (2, 97000, 2000, 1, 1, 0, 2, 1), (3, 135000, 5000, 1, 1, 0, 3, 1), (4, 162000, 1000, 2, 1, 0, 4, 1),
    (5, 172000, 4000, 1, 1, 0, 5, 1), (6, 395000, 3000, 1, 1, 0, 6, 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, source_id) VALUES
    (1, 115000, 85000, 5, 6, 1, 7, 1), (2, 425000, 575000, 5, 6, 2, 7, 1);
INSERT INTO rank_span VALUES (1), (2);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 115000, 200000), ('epoch', 425000, 1000000), ('epoch 1', 115000, 200000),
    ('epoch 2', 425000, 1000000);
