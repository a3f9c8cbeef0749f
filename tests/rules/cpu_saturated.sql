INSERT INTO track VALUES (1, 'cpu.usr', '%', NULL, NULL, 1);
INSERT INTO cpu_phase (label, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 50000000000, 47000000000, 49000000000);

-- case: 47 s of 50 s
-- expect: warning high - | All CPUs together were busy for 94.0% .. 98.0% of the time.

-- case: 44 s surely, more perhaps
UPDATE cpu_phase SET busy_min_ns = 44000000000;
-- expect: nothing

-- case: an epoch is not the run
UPDATE cpu_phase SET label = 'epoch';
-- expect: nothing

-- case: CPUs of one machine of two: threads of it waited for one for 90 s, for which both GPUs can have waited, which idled for 100 s each
UPDATE cpu_phase SET host = 'a';
INSERT INTO cpu_phase (label, host, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 'b', 50000000000, 9000000000, 9000000000);
UPDATE device SET host = CASE id WHEN 1 THEN 'a' ELSE 'b' END WHERE kind = 'gpu';
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 90000000000, 7000000000, 7000000000), ('(run)', 2, 'waiting for a CPU', 'exact', 90000000000, 30000000000, 30000000000);
-- expect: warning high 180000000000 | All CPUs together were busy for 94.0% .. 98.0% of the time.

-- case: slices were lost, so that GPUs may have idled for longer meanwhile
UPDATE source SET lost_events = 1;
UPDATE cpu_phase SET host = 'a';
INSERT INTO cpu_phase (label, host, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 'b', 50000000000, 9000000000, 9000000000);
UPDATE device SET host = CASE id WHEN 1 THEN 'a' ELSE 'b' END WHERE kind = 'gpu';
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 90000000000, 7000000000, 7000000000), ('(run)', 2, 'waiting for a CPU', 'exact', 90000000000, 30000000000, 30000000000);
-- expect: warning medium 180000000000 | All CPUs together were busy for 94.0% .. 98.0% of the time.

-- case: the other machine's GPU idled for 60 s for other ranks: these waited for a CPU for 9 s, for which both GPUs can have waited: 2 * 9 s
UPDATE cpu_phase SET host = 'a';
UPDATE device SET host = CASE id WHEN 1 THEN 'a' ELSE 'b' END WHERE kind = 'gpu';
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 9000000000, 7000000000, 7000000000), ('(run)', 2, 'other ranks at work', 'exact', 60000000000, 60000000000, 60000000000);
-- expect: warning high 18000000000 | All CPUs together were busy for 94.0% .. 98.0% of the time.

-- case: loaders computed for 80 s, which hides who waits meanwhile: two threads waited for 2 + 1 s in all, for which both GPUs can have waited
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO thread (id, tid, process_id) VALUES (91, 91, 1), (92, 92, 1);
INSERT INTO string VALUES (60, 'runnable'), (61, 'running');
INSERT INTO sched_slice (start_ns, dur_ns, thread_id, state_id, source_id) VALUES (1, 2000000000, 91, 60, 1), (2, 1000000000, 92, 60, 1), (3, 80000000000, 92, 61, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'waiting for a CPU', 'exact', 1000000000, 1000000000, 1000000000), ('(run)', 1, 'loader computing', 'exact', 80000000000, 50000000000, 50000000000);
-- expect: warning high 6000000000 | All CPUs together were busy for 94.0% .. 98.0% of the time.
