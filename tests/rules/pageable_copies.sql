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
