INSERT INTO process (id, pid, name, lifetime, observed_ns, user_ns, system_ns, involuntary_switches) VALUES
    (1, 10, 'python', 1, 20000000000, 9000000000, 1000000000, 5000), (2, 11, 'sh', 1, 20000000000, 1000000, 0, 900),
    (3, 12, 'none', 1, NULL, NULL, NULL, NULL);

-- case: 5,000 in 10 s
-- expect: warning high - | python (10) was taken off its CPUs 5,000 times in 10.0 s of CPU time, 500.0 times a second.

-- case: 5,000 in 100 s
UPDATE process SET user_ns = 99000000000 WHERE id = 1;
-- expect: nothing

-- case: its threads waited for a CPU for 2 + 1 s, one of another process for 40 s; two GPUs can have waited
INSERT INTO process (id, pid, name, lifetime) VALUES (90, 90, 'other', 1);
INSERT INTO thread (id, tid, process_id) VALUES (91, 91, 1), (92, 92, 1), (93, 93, 90);
INSERT INTO string VALUES (60, 'runnable'), (61, 'running');
INSERT INTO sched_slice (start_ns, dur_ns, thread_id, state_id, source_id) VALUES (1, 2000000000, 91, 60, 1), (2, 1000000000, 92, 60, 1), (3, 9000000000, 92, 61, 1), (4, 40000000000, 93, 60, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 6000000000 | python (10) was taken off its CPUs 5,000 times in 10.0 s of CPU time, 500.0 times a second.

-- case: slices were lost, so that they may have waited for longer
UPDATE source SET lost_events = 1;
INSERT INTO process (id, pid, name, lifetime) VALUES (90, 90, 'other', 1);
INSERT INTO thread (id, tid, process_id) VALUES (91, 91, 1), (92, 92, 1), (93, 93, 90);
INSERT INTO string VALUES (60, 'runnable'), (61, 'running');
INSERT INTO sched_slice (start_ns, dur_ns, thread_id, state_id, source_id) VALUES (1, 2000000000, 91, 60, 1), (2, 1000000000, 92, 60, 1), (3, 9000000000, 92, 61, 1), (4, 40000000000, 93, 60, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning medium 6000000000 | python (10) was taken off its CPUs 5,000 times in 10.0 s of CPU time, 500.0 times a second.
