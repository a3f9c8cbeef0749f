INSERT INTO string VALUES (30, 'kernel'), (31, 'add'), (32, 'copy');
-- 2,000 kernels, 1,000 of 4 us and 1,000 of 6 us; copies do not count
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, source_id) SELECT i, 4000 + i % 2 * 2000, 1, 30, 31, 1 FROM n;
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, source_id) VALUES (9000, 9000000000, 1, 32, 31, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 60000000000, 60000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 50000000000, 25000000000, 25000000000);

-- case: many small ones, and idle for 40 s of 100 s: launching them can have kept it from all that came later, too
-- expect: warning high 40000000000 | 2,000 kernels took 5.00 us on average, and the GPUs idled for 40.0% of the time: launching takes about as long.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium 40000000000 | >=2,000 kernels took ~5.00 us on average, and the GPUs idled for ~40.0% of the time: launching takes about as long.

-- case: the GPU is busy
UPDATE gpu_phase SET busy_min_ns = 95000000000, busy_max_ns = 95000000000;
-- expect: nothing

-- case: they are not small
-- param: max_ns=5us
-- expect: nothing

-- case: few
DELETE FROM gpu_op WHERE id > 999;
-- expect: nothing

-- case: another GPU idled for 40 s, too
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 2, 'exact', 100000000000, 60000000000, 60000000000);
-- expect: warning high 80000000000 | 2,000 kernels took 5.00 us on average, and the GPUs idled for 40.0% of the time: launching takes about as long.

-- case: no launches were recorded
DELETE FROM gpu_idle_part;
-- expect: warning high - | 2,000 kernels took 5.00 us on average, and the GPUs idled for 40.0% of the time: launching takes about as long.
