INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (10, 'kernel'), (11, 'ncclDevKernel_AllReduce(x)'), (12, 'gemm');
INSERT INTO collective_name VALUES (11, 11, 'ncclDevKernel_AllReduce');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000, 9000000000, 1, 10, 11, 1, 1), (2, 1000, 1000000000, 2, 10, 11, 2, 1), (3, 2000, 90000000000, 1, 10, 12, 1, 1);

-- case: 9 s against 1 s of 100 s
-- expect: warning high - | Of 2 ranks python (20) is waited for: it spent 1.00 s in collectives, another 9.00 s: 8.00 s more, 8.0% of the run.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | Of 2 ranks python (20) is waited for: it spent >=1.00 s in collectives, another >=9.00 s: ~8.00 s more, ~8.0% of the run.

-- case: 4 % of the run
UPDATE gpu_op SET dur_ns = 5000000000 WHERE id = 1;
-- expect: nothing

-- case: one rank has more of them: they do different things
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES (4, 9000000000000, 5, 1, 10, 11, 1, 1);
-- expect: nothing
