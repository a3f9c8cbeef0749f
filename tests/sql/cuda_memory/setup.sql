-- Process 10 on GPU 0: 100, 300, 200 bytes at 1, 2, 3 s, pinned 7 bytes; one allocation of 5,000 bytes failed at 2.5 s, another of unknown size at 4 s;
-- one failed for another reason. Process 11 has only a failure.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'r.spool', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'train', 1), (2, 11, 'eval', 1);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO track VALUES (1, 'cuda.allocated', 'bytes', 1, 1, 1), (2, 'cuda.pinned', 'bytes', NULL, 1, 1), (3, 'gpu.sm', '%', 1, NULL, 1);
INSERT INTO sample VALUES (1, 1000000000, NULL, 1, 100), (2, 2000000000, NULL, 1, 300), (3, 2000000000, NULL, 2, 7), (4, 2000000000, NULL, 3, 50),
    (5, 3000000000, NULL, 1, 200);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 2000000000, 3500000000);
INSERT INTO op VALUES (1, 'cudaMalloc', 'cuda', 'memory', 'memory'), (2, 'cudaLaunchKernel', 'cuda', 'launch', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 1, 4, 4, 4, 1, 2, 0, 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, asked_bytes, nested, source_id) VALUES
    (1, 2500000000, 10, 1, 1, -2, 5000, 0, 1), (2, 2600000000, 10, 1, 1, -1, 6000, 0, 1), (3, 2700000000, 10, 2, 1, -2, NULL, 0, 1),
    (4, 3900000000, 10, 1, 2, -2, 9000, 0, 1), (5, 4000000000, 10, 1, 1, -2, NULL, 0, 1);
INSERT INTO call_block VALUES (2500000000, 1, 5, 5, 4000000010, 1, 10);
