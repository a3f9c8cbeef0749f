-- Four segments of 1000 ns; GPU 0 was sampled (a range), GPU 1 traced (exact).
INSERT INTO run VALUES (1, 'test', '0', 10000, 14000, 0, 'given', 1000);
INSERT INTO device VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO segment VALUES
    (10000, 1000, 300, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (11000, 1000, 800, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (12000, 1000, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (13000, 1000, 1000, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
INSERT INTO gpu_segment VALUES
    (10000, 1, 900, 1000), (11000, 1, 400, 500), (12000, 1, 0, 1000), (13000, 1, 100, 200),
    (10000, 2, 500, 500), (11000, 2, 500, 500), (12000, 2, 500, 500), (13000, 2, 500, 500);
INSERT INTO phase_interval VALUES ('epoch', 11000, 13000), ('epoch 1', 11000, 12000), ('epoch 2', 12000, 13000);
