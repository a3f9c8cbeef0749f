INSERT INTO process (id, pid, name, role, lifetime) VALUES
    (1, 10, 'python', 'data-loader', 1), (2, 11, 'python', 'data-loader', 1), (3, 12, 'python', 'data-loader', 1), (4, 13, 'python', NULL, 1);
-- 20 s + 10 s, 5 s and 10 s: 15 s on average; who is no loader does not count
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('process,verb', 1, 'read', 9, 0, 9, 9, 20000000000, 1, 2), ('process,verb', 1, 'open', 9, 0, 9, NULL, 10000000000, 1, 2),
    ('process,verb', 2, 'read', 9, 0, 9, 9, 5000000000, 1, 2), ('process,verb', 3, 'read', 9, 0, 9, 9, 10000000000, 1, 2),
    ('process,verb', 4, 'read', 9, 0, 9, 9, 90000000000, 1, 2);

-- case: one has twice as much as the mean
-- expect: warning high - | Of 3 data loaders, 10 spent 30.0 s in I/O calls, 2.00 times the mean (15.0 s).

-- case: calls were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | Of >=3 data loaders, 10 spent >=30.0 s in I/O calls, ~2.00 times the mean (~15.0 s).

-- case: alike
UPDATE file_stat SET total_ns = 20000000000 WHERE verb = 'read';
UPDATE file_stat SET total_ns = 1 WHERE verb = 'open';
-- expect: nothing

-- case: one loader
DELETE FROM file_stat WHERE key_id IN (2, 3);
-- expect: nothing

-- case: the busiest has 25 s more than the one that has least, for which two GPUs can have waited
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'loader asleep', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 50000000000 | Of 3 data loaders, 10 spent 30.0 s in I/O calls, 2.00 times the mean (15.0 s).

-- case: a GPU idled for 10 s, whatever that is put down to
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 90000000000, 90000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'unexplained', 'exact', 90000000000, 4000000000, 4000000000), ('(run)', 1, 'file write', 'exact', 90000000000, 6000000000, 6000000000);
-- expect: warning high 10000000000 | Of 3 data loaders, 10 spent 30.0 s in I/O calls, 2.00 times the mean (15.0 s).
