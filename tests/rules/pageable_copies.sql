INSERT INTO string VALUES (30, 'copy'), (31, 'Memcpy HtoD (Pageable -> Device)'), (32, 'Memcpy HtoD (Pinned -> Device)');
-- 200 MB in 50 ms are 4 GB/s
INSERT INTO gpu_op (start_ns, dur_ns, device_id, kind_id, name_id, bytes, source_id) VALUES
    (1, 25000000, 1, 30, 31, 100000000, 1), (2, 25000000, 1, 30, 31, 100000000, 1), (3, 25000000, 1, 30, 32, 900000000, 1);

-- case: 200 MB
-- expect: warning high - | 2 copies moved 200 MB from or to pageable memory in 50.0 ms, 4.00 GB/s.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=2 copies moved >=200 MB from or to pageable memory in >=50.0 ms, ~4.00 GB/s.

-- case: pinned
UPDATE gpu_op SET name_id = 32;
-- expect: nothing

-- case: little
-- param: min_bytes=1gb
-- expect: nothing

-- case: the calls for copies took 400 ms, for which two GPUs can have waited
INSERT INTO op VALUES (10, 'cudaMemcpyAsync', 'cuda', 'copy', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 10, 3000, 0, 3000, 400000000, 1, 2, 0, 0), ('op', 8, 90000, 0, 90000, 9000000000, 1, 2, 0, 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 800000000 | 2 copies moved 200 MB from or to pageable memory in 50.0 ms, 4.00 GB/s.

-- case: 9,000 calls for copies took 400 ms, the longest 3 ms: two copies took 6 ms at most, for which two GPUs can have waited
INSERT INTO op VALUES (10, 'cudaMemcpy', 'cuda', 'copy', 'other');
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, max_ns, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', 10, 9000, 0, 9000, 400000000, 3000000, 1, 2, 0, 0), ('op', 8, 90000, 0, 90000, 9000000000, 9000000, 1, 2, 0, 0);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'CUDA call', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: info high 12000000 | 2 copies moved 200 MB from or to pageable memory in 50.0 ms, 4.00 GB/s.
