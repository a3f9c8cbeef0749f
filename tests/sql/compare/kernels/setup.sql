-- gemm in both epochs, once across the end of the first; a copy in the second; waiting is no work.
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0);
INSERT INTO string VALUES (10, 'kernel'), (11, 'copy'), (12, 'sync'), (13, 'gemm'), (14, 'Device-to-Host');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, source_id) VALUES
    (1, 2000, 100, 1, 10, 13, 3), (2, 4900, 300, 1, 10, 13, 3), (3, 5200, 50, 1, 10, 13, 3),
    (4, 6000, 500, 1, 10, 13, 3), (5, 7000, 40, 1, 11, 14, 3), (6, 7000, 40, 1, 12, 13, 3);
