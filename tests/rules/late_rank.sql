INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (10, 'kernel'), (11, 'ncclDevKernel_AllReduce(x)'), (12, 'gemm');
INSERT INTO collective_name VALUES (11, 11, 'ncclDevKernel_AllReduce');
-- the second begins 8 s after the first, and both end together
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000, 9000000000, 1, 10, 11, 1, 1), (2, 8000001000, 1000000000, 2, 10, 11, 2, 1), (3, 2000, 90000000000, 1, 10, 12, 1, 1);

-- case: 8 s of 100 s
-- expect: warning high - | Of 2 ranks python (20) is waited for alone: 8.00 s, 8.0% of the run; it spent 1.00 s in collectives, another 9.00 s.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | Of 2 ranks python (20) is waited for alone: ~8.00 s, ~8.0% of the run; it spent >=1.00 s in collectives, another >=9.00 s.

-- case: 4 % of the run
UPDATE gpu_op SET start_ns = 4000001000, dur_ns = 5000000000 WHERE id = 2;
-- expect: nothing

-- case: one rank has more of them: they do different things
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES (4, 9000000000000, 5, 1, 10, 11, 1, 1);
-- expect: nothing

-- case: three ranks, of which one is late by 8 s once, another by 7 s at another time
INSERT INTO device (id, kind, name, number) VALUES (4, 'gpu', 'GPU 2', 2);
INSERT INTO process (id, pid, name, lifetime) VALUES (3, 30, 'python', 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (4, 1000, 9000000000, 4, 10, 11, 3, 1),
    (5, 27000001000, 1000000000, 1, 10, 11, 1, 1), (6, 20000001000, 8000000000, 2, 10, 11, 2, 1), (7, 20000001000, 8000000000, 4, 10, 11, 3, 1);
-- expect: warning high - | Of 3 ranks python (20) is waited for alone: 8.00 s, 8.0% of the run; it spent 9.00 s in collectives, another 17.0 s.
-- expect: warning high - | Of 3 ranks python (10) is waited for alone: 7.00 s, 7.0% of the run; it spent 10.0 s in collectives, another 17.0 s.

-- case: the clocks of the ranks are not on one another's: one spent 8 s less
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns) VALUES (2, 'b.out', 'complete', 9, 9, 0, 0, 0, 0, 90000000, 1);
UPDATE gpu_op SET source_id = 2 WHERE process_id = 2;
-- expect: warning high - | Of 2 ranks python (20) is waited for most: 8.00 s, 8.0% of the run; it spent 1.00 s in collectives, another 9.00 s.

-- case: of three ranks two are late by 8 s together
INSERT INTO device (id, kind, name, number) VALUES (4, 'gpu', 'GPU 2', 2);
INSERT INTO process (id, pid, name, lifetime) VALUES (3, 30, 'python', 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES (4, 7999001000, 1001000000, 4, 10, 11, 3, 1);
-- expect: warning high - | Of 3 ranks python (20) is waited for most: 8.00 s, 8.0% of the run; it spent 1.00 s in collectives, another 9.00 s.
