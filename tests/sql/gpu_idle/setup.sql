-- A run of 4000 ns with one epoch of 1000; GPU 0 was sampled (ranges), GPU 1 traced (exact).
INSERT INTO run VALUES (1, 'test', '0', 10000, 14000, 0, 'given', 1000);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
-- busy for 1400 .. 2700 and 2000 of the run, 400 .. 500 and 500 of the epoch
INSERT INTO gpu_phase VALUES
    ('(run)', NULL, 1, 'bounds', 4000, 2100, 900, 1400, 2700, 500, 1000, 0, 1300, 0, 500, 400, 1700, NULL),
    ('(run)', NULL, 2, 'exact', 4000, 2100, 900, 2000, 2000, 1050, 1050, 950, 950, 300, 300, 1400, 1400, NULL),
    ('epoch', NULL, 1, 'bounds', 1000, 800, NULL, 400, 500, 200, 500, 0, 200, NULL, NULL, NULL, NULL, NULL),
    ('epoch', 11000, 1, 'bounds', 1000, 800, NULL, 400, 500, 200, 500, 0, 200, NULL, NULL, NULL, NULL, NULL),
    ('epoch', NULL, 2, 'exact', 1000, 800, NULL, 500, 500, 400, 400, 100, 100, NULL, NULL, NULL, NULL, NULL),
    ('epoch 1', NULL, 2, 'exact', 1000, 800, NULL, 500, 500, 400, 400, 100, 100, NULL, NULL, NULL, NULL, NULL);
-- of GPU 1 the parts of the run are 600 + 350 + 1050 = 2000, of the epoch 300 + 100 + 100 = 500; writes never were in progress
INSERT INTO gpu_idle_part VALUES
    ('(run)', NULL, NULL, 1, 'disk read', 'bounds', 900, 400, 900, NULL),
    ('(run)', NULL, NULL, 1, 'file write', 'bounds', 0, 0, 0, NULL),
    ('(run)', NULL, NULL, 1, 'file read', 'bounds', 1200, 100, 950, NULL),
    ('(run)', NULL, NULL, 1, 'unexplained', 'bounds', 1900, 0, 1300, NULL),
    ('(run)', NULL, NULL, 2, 'disk read', 'exact', 900, 600, 600, 'own'),
    ('(run)', NULL, NULL, 2, 'file write', 'exact', 0, 0, 0, 'own'),
    ('(run)', NULL, NULL, 2, 'file read', 'exact', 1200, 350, 350, 'own'),
    ('(run)', NULL, NULL, 2, 'unexplained', 'exact', 1900, 1050, 1050, 'own'),
    ('epoch', NULL, NULL, 1, 'disk read', 'bounds', 800, 300, 600, NULL),
    ('epoch', NULL, NULL, 1, 'unexplained', 'bounds', 200, 0, 200, NULL),
    ('epoch', 11000, NULL, 1, 'disk read', 'bounds', 800, 300, 600, NULL),
    ('epoch', NULL, NULL, 2, 'disk read', 'exact', 500, 300, 300, 'own'),
    ('epoch', NULL, NULL, 2, 'file read', 'exact', 300, 100, 100, 'own'),
    ('epoch', NULL, NULL, 2, 'unexplained', 'exact', 200, 100, 100, 'own'),
    ('epoch 1', NULL, NULL, 2, 'disk read', 'exact', 500, 300, 300, 'own'),
    ('epoch 1', NULL, NULL, 2, 'unexplained', 'exact', 500, 200, 200, 'own');
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 11000, 12000), ('epoch 1', 11000, 12000);
-- the first and the second of three segments, of which GPU 0 was sampled in the second only: GPU 1 idled for 400 and for 500
INSERT INTO segment (start_ns, dur_ns, opens, reads, writes, read_bytes, write_bytes, vfs_bytes, syscall_bytes, block_read_bytes, block_write_bytes, io_wait_ns, cpu_ns) VALUES
    (10000, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (11000, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (12000, 2000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO gpu_segment (start_ns, device_id, basis, busy_min_ns, busy_max_ns) VALUES
    (10000, 2, 'exact', 600, 600), (11000, 1, 'bounds', 400, 500), (11000, 2, 'exact', 500, 500), (12000, 2, 'exact', 900, 900);
INSERT INTO gpu_idle_segment VALUES
    (10000, 2, 1, 400, 300, 300), (10000, 2, 19, 600, 100, 100),
    (11000, 1, 1, 800, 300, 600), (11000, 1, 19, 200, 0, 200),
    (11000, 2, 1, 500, 300, 300), (11000, 2, 2, 300, 100, 100), (11000, 2, 19, 200, 100, 100),
    (12000, 2, 19, 2000, 1100, 1100);
