INSERT INTO op VALUES (10, 'cudaMemcpy', 'cuda', 'copy', 'other'), (11, 'cudaMemcpyAsync', 'cuda', 'copy', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('op', 10, 2000, 0, 2000, 6000000000, 1, 2, 0, 0), ('op', 11, 90000, 0, 90000, 9000000000, 1, 2, 0, 0);

-- case: 6 % of the run
-- expect: warning high - | 2,000 calls of cudaMemcpy, which returns when the copy is done, took 6.00 s, 6.0% of the run.

-- case: calls were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=2,000 calls of cudaMemcpy, which returns when the copy is done, took >=6.00 s, ~6.0% of the run.

-- case: a few at the begin
UPDATE op_stat SET calls = 20 WHERE op_id = 10;
-- expect: nothing

-- case: 1.9 % of the run
UPDATE op_stat SET total_ns = 1900000000 WHERE op_id = 10;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 12000000000 | 2,000 calls of cudaMemcpy, which returns when the copy is done, took 6.00 s, 6.0% of the run.
