-- always high: it is the range itself
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'bounds', 100000000000, 30000000000, 70000000000), ('(run)', 2, 'exact', 100000000000, 50000000000, 50000000000);

-- case: 30 .. 70 %
-- expect: info high - | GPU 0 was busy for 30.0% .. 70.0% of the time: the samples (bounds) do not tell more.

-- case: one of several machines
UPDATE device SET host = 'node7' WHERE id = 1;
-- expect: info high - | GPU 0 of node7 was busy for 30.0% .. 70.0% of the time: the samples (bounds) do not tell more.

-- case: 50 .. 69 %
UPDATE gpu_phase SET busy_min_ns = 50000000000, busy_max_ns = 69000000000 WHERE device_id = 1;
-- expect: nothing
