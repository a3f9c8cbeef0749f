INSERT INTO op VALUES (10, 'cudaDeviceSynchronize', 'cuda', 'wait', 'wait'), (11, 'cudaStreamSynchronize', 'cuda', 'wait', 'wait');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('op', 10, 8000, 0, 8000, 6000000000, 1, 2, 0, 0), ('op', 11, 90000, 0, 90000, 9000000000, 1, 2, 0, 0);

-- case: 80 a second
-- expect: warning high - | cudaDeviceSynchronize was called 8,000 times, 80.00 times a second: 6.00 s in all; after each the GPU has nothing to do until the host has launched again.

-- case: calls were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | cudaDeviceSynchronize was called >=8,000 times, ~80.00 times a second: >=6.00 s in all; after each the GPU has nothing to do until the host has launched again.

-- case: 49 a second
UPDATE op_stat SET calls = 4900 WHERE op_id = 10;
-- expect: nothing

-- case: GPUs idled for 0.5 s after these calls, two of them
INSERT INTO gpu_wait_stat (op_id, calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns, wall_ns) VALUES
    (10, 8000, 8000, 6000000000, 1000000, 1, 0, 500000000, 100000000000), (11, 90000, 90000, 9000000000, 1000000, 1, 0, 7000000000, 100000000000);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'launching operators', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 1000000000 | cudaDeviceSynchronize was called 8,000 times, 80.00 times a second: 6.00 s in all; after each the GPU has nothing to do until the host has launched again.
