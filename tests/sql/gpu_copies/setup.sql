-- GPU 0: HtoD of 100, 4095 and 4096 bytes in 1, 3 and 2 us, 32 MiB in 1 ms, one of unknown size in 5 us; DtoH of 1 MiB in 50 us, of 2 MiB
-- in unknown time. GPU 1: HtoD of 64 KiB in 10 us. A set and a kernel are no copies.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'python', 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'copy'), (3, 'set'), (4, 'gemm'), (5, 'Memcpy HtoD (Pageable -> Device)'), (6, 'Memcpy DtoH (Device -> Pinned)'),
    (7, '[CUDA memcpy Host-to-Device]'), (8, '[CUDA memset]');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, bytes, process_id, source_id) VALUES
    (1, 1000000, 1000, 1, 2, 5, 100, 1, 1), (2, 1010000, 3000, 1, 2, 5, 4095, 1, 1), (3, 1020000, 2000, 1, 2, 5, 4096, 1, 1),
    (4, 1030000, 1000000, 1, 2, 5, 33554432, 1, 1), (5, 2040000, 5000, 1, 2, 5, NULL, 1, 1), (6, 3000000, 50000, 1, 2, 6, 1048576, 1, 1),
    (7, 4000000, NULL, 1, 2, 6, 2097152, 1, 1), (8, 5000000, 10000, 2, 2, 7, 65536, 2, 1), (9, 6000000, 9000, 1, 3, 8, 4096, 1, 1),
    (10, 7000000, 9000, 1, 1, 4, NULL, 1, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2500000, 4500000);
