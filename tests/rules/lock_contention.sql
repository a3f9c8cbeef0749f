INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'idle', NULL, 1);
-- 800,000 calls of 20 us on average in 100 s; and a pool that has nothing to do
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 1, 6, 800000, 0, 800000, 16000000000, 1, 2, 0, 0), ('process,op', 1, 1, 900000, 0, 900000, 1, 1, 2, 0, 0),
    ('process,op', 2, 6, 900, 0, 900, 90000000000, 1, 2, 0, 0);

-- case: 8,000 a second
-- expect: warning high - | python (10) made 800,000 calls for locks, 8,000.0 a second, 16.0 s in all.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | python (10) made >=800,000 calls for locks, ~8,000.0 a second, >=16.0 s in all.

-- case: they wait for long: nothing to do
UPDATE op_stat SET total_ns = 900000000000 WHERE op_id = 6;
-- expect: nothing

-- case: 4,999 a second
UPDATE op_stat SET calls = 499900 WHERE op_id = 6;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'lock, queue or pipe', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'lock, queue or pipe', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 32000000000 | python (10) made 800,000 calls for locks, 8,000.0 a second, 16.0 s in all.
