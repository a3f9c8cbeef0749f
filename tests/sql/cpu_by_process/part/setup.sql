-- Two epochs, 2000 .. 4000 and 6000 .. 7000. 10 has two threads and lives for all of the run, 11 from 2500 to 3000, without slices, 12 from 6500 to 8000, 13 from 3500 to 5000,
-- without slices.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.db.spool', 'record', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'running'), (2, 'runnable'), (3, 'sleeping');
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000, 4000), ('epoch', 6000, 7000), ('epoch 1', 2000, 4000), ('epoch 2', 6000, 7000);
INSERT INTO process (id, pid, name, role, lifetime, start_ns, end_ns, observed_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, max_rss_bytes) VALUES
    (1, 10, 'python', 'gpu-worker', 1, NULL, NULL, 8000, 9000, 1200, 7, 30, 8192),
    (2, 11, 'sh', NULL, 1, 2500, 3000, 500, 100, 0, 1, 0, 4096),
    (3, 12, 'dd', NULL, 1, 6500, 8000, 1500, 0, 100, 0, 0, 4096),
    (4, 13, 'ls', NULL, 1, 3500, 5000, 1500, 60, 0, 2, 0, 2048);
INSERT INTO thread (id, tid, process_id, name, observed_ns, user_ns, system_ns) VALUES
    (1, 10, 1, 'python', 8000, 2000, 200), (2, 20, 1, 'loader', 8000, 7000, 1000), (3, 12, 3, 'dd', 1500, 0, 100), (4, 11, 2, 'sh', 500, 100, 0);
INSERT INTO sched_slice (id, start_ns, dur_ns, thread_id, cpu, state_id, source_id) VALUES
    (1, 1000, 8000, 2, 0, 1, 1), (2, 1500, 1000, 1, 1, 1, 1), (3, 2500, 1000, 1, 1, 3, 1), (4, 3500, 1000, 1, 1, 1, 1),
    (5, 6000, 200, 1, 1, 1, 1), (6, 6200, 300, 1, 1, 2, 1), (7, 6500, 100, 3, 1, 1, 1);
