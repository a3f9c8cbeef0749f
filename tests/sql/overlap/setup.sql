-- Four segments of 1000 ns; GPU 0 was sampled (a range), GPU 1 traced (exact).
INSERT INTO run VALUES (1, 'test', '0', 10000, 14000, 0, 'given', 1000);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO segment VALUES
    (10000, 1000, 300, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (11000, 1000, 800, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (12000, 1000, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (13000, 1000, 1000, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
-- segment, GPU, basis, busy, both with calls, neither with calls, likewise with blocks
INSERT INTO gpu_segment VALUES
    (10000, 1, 'bounds', 900, 1000, 200, 300, 0, 100, NULL, NULL, NULL, NULL),
    (11000, 1, 'bounds', 400, 500, 200, 500, 0, 200, NULL, NULL, NULL, NULL),
    (12000, 1, 'bounds', 0, 1000, 0, 0, 0, 1000, NULL, NULL, NULL, NULL),
    (13000, 1, 'bounds', 100, 200, 100, 200, 0, 0, NULL, NULL, NULL, NULL),
    (10000, 2, 'exact', 500, 500, 150, 150, 350, 350, NULL, NULL, NULL, NULL),
    (11000, 2, 'exact', 500, 500, 400, 400, 100, 100, NULL, NULL, NULL, NULL),
    (12000, 2, 'exact', 500, 500, 0, 0, 500, 500, NULL, NULL, NULL, NULL),
    (13000, 2, 'exact', 500, 500, 500, 500, 0, 0, NULL, NULL, NULL, NULL);
-- Both epochs together are known better than the sum of their segments says.
INSERT INTO gpu_phase VALUES
    ('(run)', NULL, 1, 'bounds', 4000, 2100, NULL, 1400, 2700, 500, 1000, 0, 1300, NULL, NULL, NULL, NULL, NULL),
    ('(run)', NULL, 2, 'exact', 4000, 2100, NULL, 2000, 2000, 1050, 1050, 950, 950, NULL, NULL, NULL, NULL, NULL),
    ('epoch', NULL, 1, 'bounds', 2000, 800, NULL, 450, 1400, 210, 490, 10, 1150, NULL, NULL, NULL, NULL, NULL),
    ('epoch', NULL, 2, 'exact', 2000, 800, NULL, 1000, 1000, 400, 400, 600, 600, NULL, NULL, NULL, NULL, NULL),
    ('epoch', 11000, 2, 'exact', 2000, 800, NULL, 1000, 1000, 400, 400, 600, 600, NULL, NULL, NULL, NULL, NULL),
    ('epoch 1', NULL, 1, 'bounds', 1000, 800, NULL, 400, 500, 200, 500, 0, 200, NULL, NULL, NULL, NULL, NULL),
    ('epoch 1', NULL, 2, 'exact', 1000, 800, NULL, 500, 500, 400, 400, 100, 100, NULL, NULL, NULL, NULL, NULL);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 11000, 13000), ('epoch 1', 11000, 12000), ('epoch 2', 12000, 13000);
