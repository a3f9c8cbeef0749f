-- 500 calls, 5 s of 100 s; launches do not count
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('op', 7, 500, 0, 500, 5000000000, 1, 2, 0, 0), ('op', 8, 90000, 0, 90000, 9000000000, 1, 2, 0, 0);

-- case: 5 % of the run
-- expect: warning high - | 500 calls that allocate or free GPU or pinned memory took 5.00 s, 5.0% of the run; cudaFree also waits for the GPU.

-- case: calls were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=500 calls that allocate or free GPU or pinned memory took >=5.00 s, ~5.0% of the run; cudaFree also waits for the GPU.

-- case: a few at the begin
UPDATE op_stat SET calls = 20 WHERE op_id = 7;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 10000000000 | 500 calls that allocate or free GPU or pinned memory took 5.00 s, 5.0% of the run; cudaFree also waits for the GPU.
