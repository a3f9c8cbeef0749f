INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1);
INSERT INTO thread (id, tid, process_id, observed_ns, user_ns, system_ns) VALUES
    (1, 10, 1, 20000000000, 18000000000, 1800000000), (2, 11, 1, 20000000000, 5000000000, 0), (3, 12, 1, NULL, NULL, NULL);

-- case: 19.8 s of 20 s
-- expect: warning high - | Thread 10 of python (10) computed for 19.8 s, 99.0% of the 20.0 s that it was recorded.

-- case: not so long
UPDATE thread SET user_ns = 17000000000 WHERE id = 1;
-- expect: nothing

-- case: too short a time
UPDATE thread SET observed_ns = 4000000000, user_ns = 4000000000 WHERE id = 1;
-- expect: nothing

-- case: 19.8 s, for which two GPUs can have waited
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'loader computing', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 39600000000 | Thread 10 of python (10) computed for 19.8 s, 99.0% of the 20.0 s that it was recorded.

-- case: slices were lost, so that GPUs may have idled for longer meanwhile
UPDATE source SET lost_events = 1;
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'loader computing', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning medium 39600000000 | Thread 10 of python (10) computed for 19.8 s, 99.0% of the 20.0 s that it was recorded.
