INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'recording', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 20, 'python', 'data-loader', 1);
INSERT INTO thread (id, tid, process_id, name) VALUES (1, 10, 1, 'main'), (2, 11, 1, 'pin_memory'), (3, 20, 2, NULL);
INSERT INTO op VALUES (1, 'futex', 'syscall', 'lock', 'lock'), (2, 'semop', 'syscall', 'lock', 'lock'), (3, 'read', 'syscall', 'read', 'io');
INSERT INTO string VALUES (1, 'FUTEX_WAIT_PRIVATE 0x7f00'), (2, 'FUTEX_WAKE_PRIVATE 0x7f00'), (3, '0x7fa0, FUTEX_WAIT, 2, NULL'), (4, '0x7fa0, FUTEX_WAKE, 1');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, ret, nested, source_id, args_id) VALUES
    (1, 1000, 500, 1, 1, 1, 0, 0, 1, 1),
    (2, 1500, 1, 1, 1, 2, 1, 0, 1, 2), -- the other thread wakes it
    (3, 1600, 200, 1, 1, 1, -110, 0, 1, 1),
    (4, 1700, 1, 1, 2, 3, 1, 0, 1, 2), -- the same address of another process is another lock
    (5, 2000, 300, 1, 1, 1, 0, 0, 1, 3), -- one that processes share
    (6, 2300, 2, 1, 2, 3, 1, 0, 1, 4),
    (7, 3000, 40, 2, 2, 3, 0, 0, 1, NULL),
    (8, 3100, NULL, 2, 2, 3, NULL, 0, 1, NULL),
    (9, 3200, 7, 3, 2, 3, 1, 0, 1, NULL);
-- the same, as an import adds it up
INSERT INTO lock_stat VALUES
    (1, 1, 1, 1, 2, 1, 2, 700, 500, 1000), (1, 2, 1, 2, 1, 0, 1, 1, 1, 1500), (2, 3, 1, 2, 1, 0, 1, 1, 1, 1700), (1, 1, 1, 3, 1, 0, 1, 300, 300, 2000),
    (2, 3, 1, 4, 1, 0, 1, 2, 2, 2300), (2, 3, 2, NULL, 2, 0, 1, 40, 40, 3000);
