-- 20 s, then 10 s, 10 s, 12 s and 14 s: the median of the others is (10 + 12) / 2 = 11 s
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch 0', 0, 20000000000, 1), ('epoch 1', 20000000000, 30000000000, 1), ('epoch 2', 30000000000, 40000000000, 1),
    ('epoch 3', 40000000000, 52000000000, 1), ('epoch 4', 52000000000, 66000000000, 1), ('epoch', 0, 66000000000, 1);

-- case: a cold start
-- expect: info high - | The first epoch took 20.0 s, 1.82 times the median of the 4 others (11.0 s).

-- case: two GPUs idled, but not for longer than the epoch was late, 2 * 9 s
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'exact', 66000000000, 50000000000, 50000000000), ('(run)', 2, 'exact', 66000000000, 50000000000, 50000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 60000000000, 15000000000, 15000000000),
    ('(run)', 2, 'disk read', 'exact', 60000000000, 15000000000, 15000000000);
-- expect: info high 18000000000 | The first epoch took 20.0 s, 1.82 times the median of the 4 others (11.0 s).

-- case: calls and requests were lost, so that GPUs may have idled for longer meanwhile
UPDATE source SET lost_events = 1;
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'exact', 66000000000, 50000000000, 50000000000), ('(run)', 2, 'exact', 66000000000, 50000000000, 50000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 60000000000, 15000000000, 15000000000),
    ('(run)', 2, 'disk read', 'exact', 60000000000, 15000000000, 15000000000);
-- expect: info medium 18000000000 | The first epoch took 20.0 s, 1.82 times the median of the 4 others (11.0 s).

-- case: of two runs, one with a cold start
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch 1', 70000000000, 80000000000, 2), ('epoch 2', 80000000000, 90000000000, 2), ('epoch 3', 90000000000, 100000000000, 2);
-- expect: info high - | The first epoch of run 1 took 20.0 s, 1.82 times the median of the 4 others (11.0 s).

-- case: twice as long is asked for
-- param: min_ratio=2
-- expect: nothing

-- case: one epoch is nothing to compare with
DELETE FROM phase_interval WHERE label IN ('epoch 2', 'epoch 3', 'epoch 4');
-- expect: nothing
