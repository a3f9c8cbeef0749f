INSERT INTO string VALUES (30, 'copy'), (31, 'HtoD');
-- 3,000 of 4 bytes, 1 us each; 1,000 of 1 MB
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, bytes, source_id) SELECT i, 1000, 1, 30, 31, CASE WHEN i % 4 THEN 4 ELSE 1000000 END, 1 FROM n;

-- case: three of four
-- expect: warning high - | 3,000 copies, 75.0% of all, were small: 12.0 kB together, in 3.00 ms on the GPU, and each is a call on the host.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=3,000 copies, ~75.0% of all, were small: >=12.0 kB together, in >=3.00 ms on the GPU, and each is a call on the host.

-- case: most are large
UPDATE gpu_op SET bytes = 1000000 WHERE id % 4 IN (1, 2);
-- expect: nothing

-- case: 4 bytes are asked for
-- param: max_bytes=4
-- expect: nothing

-- case: the calls for copies took 400 ms, for which two GPUs can have waited
INSERT INTO op VALUES (10, 'cudaMemcpyAsync', 'cuda', 'copy', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 10, 3000, 0, 3000, 400000000, 1, 2, 0, 0), ('op', 8, 90000, 0, 90000, 9000000000, 1, 2, 0, 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 800000000 | 3,000 copies, 75.0% of all, were small: 12.0 kB together, in 3.00 ms on the GPU, and each is a call on the host.

-- case: 90,000 calls for copies took 400 ms, the longest 10 us: 3,000 copies took 30 ms at most, for which two GPUs can have waited
INSERT INTO op VALUES (10, 'cudaMemcpy', 'cuda', 'copy', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, max_ns, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 10, 90000, 0, 90000, 400000000, 10000, 1, 2, 0, 0), ('op', 8, 90000, 0, 90000, 9000000000, 9000000, 1, 2, 0, 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: info high 60000000 | 3,000 copies, 75.0% of all, were small: 12.0 kB together, in 3.00 ms on the GPU, and each is a call on the host.
