INSERT INTO string VALUES (30, 'kernel'), (31, 'add'), (32, 'copy');
-- 2,000 kernels, 1,000 of 4 us and 1,000 of 6 us; copies do not count
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, source_id) SELECT i, 4000 + i % 2 * 2000, 1, 30, 31, 1 FROM n;
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, source_id) VALUES (9000, 9000000000, 1, 32, 31, 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 60000000000, 60000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 50000000000, 25000000000, 25000000000);

-- case: many small ones, and idle for 40 s of 100 s, of which 25 s are launching
-- expect: warning high 25000000000 | 2,000 kernels took 5.00 us on average, and the GPUs idled for 40.0% of the time: launching takes about as long.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium 25000000000 | >=2,000 kernels took ~5.00 us on average, and the GPUs idled for ~40.0% of the time: launching takes about as long.

-- case: the GPU is busy
UPDATE gpu_phase SET busy_min_ns = 95000000000, busy_max_ns = 95000000000;
-- expect: nothing

-- case: they are not small
-- param: max_ns=5us
-- expect: nothing

-- case: few
DELETE FROM gpu_op WHERE id > 999;
-- expect: nothing

-- case: calls that launch took 3 s, which the GPU can have waited for, and so it can for the 15 s between them in operators; another idled for 9 s for this rank
INSERT INTO op VALUES (10, 'cudaLaunchKernelExC', 'cuda', 'launch', 'other'), (11, 'cudaMalloc', 'cuda', 'memory', 'memory');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 10, 2000, 0, 2000, 3000000000, 1, 2, 0, 0), ('op', 11, 90, 0, 90, 22000000000, 1, 2, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'launching operators', 'exact', 40000000000, 15000000000, 15000000000),
    ('(run)', 2, 'other ranks at work', 'exact', 9000000000, 9000000000, 9000000000);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 2, 'exact', 100000000000, 60000000000, 60000000000);
-- expect: warning high 27000000000 | 2,000 kernels took 5.00 us on average, and the GPUs idled for 40.0% of the time: launching takes about as long.
