-- GPU 0: a 1 .. 2 ms, b 1.5 .. 4 ms beside it, a wait that is no work, c 9 .. 10 ms, a copy 10.5 .. 12 ms. Gaps: 4 .. 9 and 10 .. 10.5 ms.
-- GPU 1: 2 .. 3, 6 .. 7 and 30 .. 31 ms. A gap of 3 ms; of 12 .. 20 ms nobody knows what it did, so that 7 .. 30 is none.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'copy'), (3, 'sync'), (4, 'a'), (5, 'b'), (6, 'c'), (7, 'HtoD'), (8, 'wait'), (9, 'unrecorded'), (10, 'work on GPUs'), (11, 'complete');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 1, 4, 1), (2, 1500000, 2500000, 1, 1, 5, 1), (3, 2000000, 1000000, 2, 1, 4, 1),
    (4, 4000000, 5000000, 1, 3, 8, 1), (5, 6000000, 1000000, 2, 1, 5, 1), (6, 9000000, 1000000, 1, 1, 6, 1), (7, 10500000, 1500000, 1, 2, 7, 1),
    (8, 30000000, 1000000, 2, 1, 4, 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, state_id, source_id) VALUES (1, 12000000, 8000000, 9, 10, 11, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 3500000, 8000000), ('epoch 1', 3500000, 8000000), ('run', 0, 15000000);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io'), (3, 'cudaLaunchKernel', 'cuda', 'launch', 'other'),
    (4, 'futex', 'syscall', 'lock', 'lock');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/x', 'x', 'regular', 1, 4, 0), (2, NULL, 'pipe:[1]', 'pipe', 1, 4, 0);
-- in 4 .. 9 ms: an open of unknown duration, reads of 100 and 50 bytes, one inside another call, a pipe's, a futex, two launches. Before it a read.
INSERT INTO call (id, start_ns, dur_ns, op_id, file_id, done_bytes, nested, source_id) VALUES
    (1, 3900000, 900000, 1, 1, 7, 0, 1), (2, 4000000, NULL, 2, 1, NULL, 0, 1), (3, 4500000, 1000000, 1, 1, 100, 0, 1),
    (4, 4600000, 800000, 1, 1, 100, 1, 1), (5, 5000000, 2000000, 1, 2, 8, 0, 1), (6, 5000001, 900000, 4, NULL, NULL, 0, 1),
    (7, 6500000, 200000, 3, NULL, NULL, 0, 1), (8, 7000000, 500000, 1, 1, 50, 0, 1), (9, 8999999, 300000, 3, NULL, NULL, 0, 1),
    (10, 9000000, 100000, 1, 1, 9, 0, 1);
INSERT INTO call_block VALUES (3900000, 1, 4), (5000000, 5, 8), (8999999, 9, 10);
