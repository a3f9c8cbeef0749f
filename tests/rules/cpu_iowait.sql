INSERT INTO track VALUES (1, 'cpu.iowait', '%', NULL, NULL, 1);
INSERT INTO cpu_phase (label, wall_ns, busy_min_ns, busy_max_ns, iowait_min_ns, iowait_max_ns) VALUES
    ('(run)', 50000000000, 0, 9000000000, 10000000000, 10000000000);

-- case: 10 s of 50 s
-- expect: warning high - | All CPUs together waited for disks (iowait) for 20.0% of the time.

-- case: other sources, which say how long the run was, lost events
UPDATE source SET lost_events = 1;
-- expect: warning medium - | All CPUs together waited for disks (iowait) for 20.0% of the time.

-- case: 4 s
UPDATE cpu_phase SET iowait_min_ns = 4000000000;
-- expect: nothing

-- case: not sampled
UPDATE cpu_phase SET iowait_min_ns = NULL, iowait_max_ns = NULL;
-- expect: nothing
