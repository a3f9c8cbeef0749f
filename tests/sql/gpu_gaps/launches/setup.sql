-- GPU 0: 3000 .. 3001 ms, 3006 .. 3007, 3013 .. 3014, 3022 .. 3023. Gaps of 5, 6 and 8 ms, in 23 ms.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO string VALUES (1, 'kernel'), (2, 'a'), (3, 'b'), (4, 'c'), (5, 'd'), (6, 'sync');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 40, 'python', 1);
INSERT INTO thread (id, tid, process_id) VALUES (1, 41, 1), (2, 42, 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, source_id, process_id, correlation) VALUES
    (1, 3000000000, 1000000, 1, 1, 2, 1, 1, 70), (2, 3006000000, 1000000, 1, 1, 3, 1, 1, 71), (3, 3013000000, 1000000, 1, 1, 4, 1, 1, 72),
    (4, 3022000000, 1000000, 1, 1, 5, 1, 1, 73),
    -- a wait is no work, nor a part of the time that its GPU worked
    (5, 3022000000, 7000000, 1, 6, 2, 1, 1, 74);
INSERT INTO op VALUES (1, 'cudaLaunchKernel', 'cuda', 'launch', 'other');
-- b was launched half a second before its gap. c 2 s before it, too long ago to be looked for. The number of d's was used 0.1 s before, by
-- another call that was done with; in the gap it is that of two calls: the first one counts.
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, nested, source_id, correlation) VALUES
    (1, 1000000000, 100000, 1, 1, 1, 0, 1, 72), (2, 2000000000, 100000, 1, 1, 1, 0, 1, NULL), (3, 2500000000, 100000, 1, 1, 1, 0, 1, 71),
    (4, 2900000000, 100000, 1, 1, 1, 0, 1, 73), (5, 2950000000, 100000, 1, 1, 1, 0, 1, NULL), (6, 3015000000, 100000, 1, 1, 2, 0, 1, 73),
    (7, 3016000000, 100000, 1, 1, 1, 0, 1, 73);
INSERT INTO call_block VALUES (1000000000, 1, 1, 1, 1000100000, 1, 100000), (2000000000, 2, 2, 1, 2000100000, 2, 100000), (2500000000, 3, 3, 1, 2500100000, 3, 100000), (2900000000, 4, 4, 1, 2900100000, 4, 100000), (2950000000, 5, 5, 1, 2950100000, 5, 100000), (3015000000, 6, 7, 2, 3016100000, 6, 100000);
