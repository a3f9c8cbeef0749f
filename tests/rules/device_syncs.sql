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
