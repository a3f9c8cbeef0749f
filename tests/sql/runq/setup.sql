-- A process of two threads and one of one; epoch 1 begins after the first slices.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.db.spool', 'record', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'running'), (2, 'runnable'), (3, 'sleeping'), (4, 'blocked'), (5, 'read'), (6, 'futex'), (7, 'fsync');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 20, 'sh', NULL, 1);
INSERT INTO thread (id, tid, process_id, name) VALUES (1, 10, 1, 'python'), (2, 11, 1, 'pt_pin'), (3, 20, 2, NULL);
INSERT INTO sched_slice (id, start_ns, dur_ns, thread_id, cpu, state_id, reason_id, source_id) VALUES
    (1, 1000, 100, 1, 0, 1, NULL, 1),
    (2, 1100, 300, 1, 0, 4, 5, 1),
    (3, 1400, 50, 1, 0, 2, NULL, 1),
    (4, 1450, 150, 1, 0, 1, NULL, 1),
    (5, 2000, 400, 2, 1, 3, 6, 1),
    (6, 2400, 10, 2, 1, 2, NULL, 1),
    (7, 2410, 90, 2, 1, 1, NULL, 1),
    (8, 3000, 200, 1, 0, 4, 7, 1),
    (9, 4000, 80, 3, 0, 1, NULL, 1),
    (10, 4080, 20, 3, 0, 2, NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 2000, 5000);
