INSERT INTO run VALUES (1, 'test', '0', 1000000000, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 8000000000, 1, 1);
INSERT INTO string (id, text) VALUES (1, '/data/x{}'), (2, 'runnable'), (3, 'running');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'loader', 'data-loader', 1), (3, 12, 'other', NULL, 1);
INSERT INTO thread (id, tid, process_id) VALUES (1, 10, 1), (2, 11, 2), (3, 12, 3);
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES (1, '/data/x1', 'x1', 'regular', 1, 1, 0), (2, '/data/x2', 'x2', 'regular', 1, 1, 0), (3, '/proc/1/stat', 'stat', 'proc-sys', 1, 1, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io');
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 1000000000, 4000000000), ('epoch 1', 1000000000, 3000000000);
INSERT INTO gpu_idle_stretch VALUES
    (1, 'disk read', 2000000000, 500000000, 400000000, 400000000, 2, NULL),
    (1, 'lock, queue or pipe', 3000000000, 300000000, 300000000, 300000000, 1, NULL),
    (1, 'file write', 5000000000, 100000000, 0, 90000000, 1, 2),
    (1, 'unexplained', 6000000000, 40000000, 0, 40000000, NULL, NULL),
    (1, 'disk read', 7000000000, 100000000, 50000000, 50000000, 2, NULL);
-- of process 2 x2 is read for 0.1 s of the first stretch, x1 for 0.4 s; call 3 is of another process, call 4 a write, call 5 of no disk
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, nested, source_id) VALUES
    (1, 1900000000, 200000000, 1, 2, 2, 0, 1),
    (2, 2100000000, 900000000, 1, 2, 1, 0, 1),
    (3, 2000000000, 500000000, 1, 3, 2, 0, 1),
    (4, 2000000001, 500000000, 2, 2, 2, 0, 1),
    (5, 2000000002, 500000000, 1, 2, 3, 0, 1),
    -- x1 is read for all of the second one, since long before; x2 for a tenth
    (6, 5500000000, 2000000000, 1, 2, 1, 0, 1),
    (7, 5900000000, 10, 1, 3, 2, 0, 1),
    (8, 7050000000, 10000000, 1, 2, 2, 0, 1);
INSERT INTO call_block VALUES (1900000000, 1, 5, 5, 3000000000, 2, 900000000), (5500000000, 6, 6, 1, 7500000000, 6, 2000000000), (5900000000, 7, 8, 2, 7060000000, 8, 10000000);
INSERT INTO longest VALUES ('call', 6, 2000000000, 1, 0), ('kernel', 8, 5, NULL, NULL);
-- the wait ends at 3.3 s: the loader wakes the first thread then; the other process did so 0.2 s before
INSERT INTO sched_slice (id, start_ns, dur_ns, thread_id, cpu, state_id, waker_thread_id, source_id) VALUES
    (1, 3100000000, 10, 1, 0, 2, 3, 1),
    (2, 3299999000, 10, 3, 0, 2, 1, 1),
    (3, 3299999900, 100, 1, 0, 2, 2, 1),
    (4, 3300000000, 1000, 1, 0, 3, NULL, 1),
    (5, 3400000000, 10, 1, 0, 2, 3, 1);
