INSERT INTO process (id, pid, name, role, lifetime, observed_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, max_rss_bytes) VALUES
    (1, 10, 'python', 'gpu-worker', 1, 4000, 5000, 1000, 7, 30, 8192),
    (2, 11, 'sh', NULL, 1, 2000, 0, 0, 1, 0, NULL),
    (3, 12, 'dd', NULL, 1, 0, 0, 5, 0, 0, 4096),
    (4, 13, 'unseen', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO thread (id, tid, process_id, name, observed_ns, user_ns, system_ns, voluntary_switches, involuntary_switches) VALUES
    (1, 10, 1, 'python', 4000, 2000, 400, 3, 10),
    (2, 20, 1, 'loader', 3000, 3000, 600, 4, 20),
    (3, 11, 2, 'sh', 2000, 0, 0, 1, 0),
    (4, 14, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
