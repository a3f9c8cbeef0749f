-- always high: a sample tells by itself
INSERT INTO track VALUES (1, 'gpu.throttle_power', '%', 1, NULL, 1), (2, 'gpu.throttle_thermal', '%', 1, NULL, 1), (3, 'gpu.throttle_thermal', '%', 2, NULL, 1);
-- GPU 0 is hot in 1 of 4 samples, GPU 1 in 2 of 4; the power limit is reached in none
INSERT INTO sample (id, ts_ns, track_id, value) VALUES (1, 1, 1, 0), (2, 1, 2, 100), (3, 2, 2, 0), (4, 3, 2, 0), (5, 4, 2, 0),
    (6, 1, 3, 100), (7, 2, 3, 100), (8, 3, 3, 0), (9, 4, 3, 0);

-- case: two are hot
-- expect: warning high - | The clocks of GPU 1 gave way to heat in 50.0% of the samples (2 GPUs in all).

-- case: the power limit, which is for your information
UPDATE sample SET value = CASE track_id WHEN 1 THEN 100 ELSE 0 END;
-- expect: info high - | The clocks of GPU 0 gave way to the power limit in 100.0% of the samples (1 GPUs in all).

-- case: seldom
UPDATE sample SET value = 0;
-- expect: nothing

-- case: of one of several machines
UPDATE device SET host = 'node1';
-- expect: warning high - | The clocks of GPU 1 of node1 gave way to heat in 50.0% of the samples (2 GPUs in all).
