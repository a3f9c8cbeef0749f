-- always high: its bounds hold for all that the samples allow
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
