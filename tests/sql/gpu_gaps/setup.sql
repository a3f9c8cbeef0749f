-- GPU 0: a 1 .. 2 ms, b 1.5 .. 4 ms beside it, a wait that is no work, c 9 .. 10 ms, a copy 10.5 .. 12 ms. Gaps: 4 .. 9 and 10 .. 10.5 ms.
-- GPU 1: 2 .. 3, 6 .. 7 and 30 .. 31 ms. A gap of 3 ms; of 12 .. 20 ms nobody knows what it did, so that 7 .. 30 is none.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'copy'), (3, 'sync'), (4, 'a'), (5, 'b'), (6, 'c'), (7, 'HtoD'), (8, 'wait'), (9, 'unrecorded'), (10, 'work on GPUs'), (11, 'complete'), (12, 'sleeping'), (13, 'running');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 40, 'python', 1);
INSERT INTO thread (id, tid, process_id) VALUES (1, 41, 1), (2, 42, 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, source_id) VALUES
    (1, 1000000, 1000000, 1, 1, 4, 1), (2, 1500000, 2500000, 1, 1, 5, 1), (3, 2000000, 1000000, 2, 1, 4, 1),
    (4, 4000000, 5000000, 1, 3, 8, 1), (5, 6000000, 1000000, 2, 1, 5, 1), (6, 9000000, 1000000, 1, 1, 6, 1), (7, 10500000, 1500000, 1, 2, 7, 1),
    (8, 30000000, 1000000, 2, 1, 4, 1);
UPDATE gpu_op SET process_id = 1, correlation = 70 + id WHERE id IN (5, 6, 7);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, state_id, source_id) VALUES (1, 12000000, 8000000, 9, 10, 11, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 3500000, 8000000), ('epoch 1', 3500000, 8000000), ('run', 0, 15000000);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io'), (3, 'cudaLaunchKernel', 'cuda', 'launch', 'other'),
    (4, 'futex', 'syscall', 'lock', 'lock'), (5, 'mmap', 'syscall', 'map', 'memory'), (6, 'getpid', 'syscall', 'process', 'other');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/d/x', 'x', 'regular', 1, 4, 0), (2, NULL, '', 'unnamed', 1, 4, 0); -- the second a pipe, nearly certainly
-- in 4 .. 9 ms: an open of unknown duration, reads of 100 and 50 bytes, one inside another call, a pipe's, a futex, two launches. Before it a read.
INSERT INTO call (id, start_ns, dur_ns, op_id, file_id, done_bytes, nested, source_id) VALUES
    (1, 3900000, 900000, 1, 1, 7, 0, 1), (2, 4000000, NULL, 2, 1, NULL, 0, 1), (3, 4500000, 1000000, 1, 1, 100, 0, 1),
    (4, 4600000, 800000, 1, 1, 100, 1, 1), (5, 5000000, 2000000, 1, 2, 8, 0, 1), (6, 5000001, 900000, 4, NULL, NULL, 0, 1),
    (7, 6500000, 200000, 3, NULL, NULL, 0, 1), (8, 7000000, 500000, 1, 1, 50, 0, 1), (9, 7900000, 200000, 5, NULL, NULL, 0, 1),
    (10, 8200000, 100000, 6, NULL, NULL, 0, 1), (11, 8999999, 300000, 3, NULL, NULL, 0, 1), (12, 9000000, 100000, 1, 1, 9, 0, 1);
-- In the gap of 10 ms somebody of the process asks for its pid, of which the tracer says no thread; the copy that ends it is launched at 10.4 ms.
-- Thread 41 reads until 4.8 ms, reads a pipe for 2 ms (with a futex and a sleep in it), reads for 0.5 ms, sleeps for 0.3, maps for 0.2, asks for
-- its pid for 0.1 and launches what GPU 0 begins at 9 ms; what GPU 1 begins at 6 ms it has launched at 2.5 ms. Thread 42 sleeps.
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, nested, source_id, correlation) VALUES
    (0, 2500000, 100000, 3, 1, 1, 0, 1, 75), (13, 10200000, 100000, 6, 1, NULL, 0, 1, NULL), (14, 10400000, 50000, 3, 1, 1, 0, 1, 77);
UPDATE call SET process_id = 1, thread_id = 1 WHERE id IN (1, 5, 6, 8, 9, 10, 11);
UPDATE call SET correlation = 76 WHERE id = 11;
INSERT INTO sched_slice (id, start_ns, dur_ns, thread_id, state_id, source_id) VALUES (1, 4000000, 4000000, 2, 12, 1), (2, 5100000, 1800000, 1, 12, 1),
    (3, 6900000, 700000, 1, 13, 1), (4, 7600000, 300000, 1, 12, 1), (5, 7900000, 1200000, 1, 13, 1);
INSERT INTO call_block VALUES (2500000, 0, 4, 4, 5500000, 3, 1000000), (5000000, 5, 10, 6, 8300000, 5, 2000000), (8999999, 11, 14, 4, 10450000, 11, 300000);
