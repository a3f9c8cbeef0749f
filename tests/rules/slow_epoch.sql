-- always high: a log that loses a line has no end of an epoch, which then is none; its clock moves all of them
-- 30 s, 10 s, 10 s, 12 s and 14 s: the median is 12 s
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch 1', 0, 30000000000, 1), ('epoch 2', 30000000000, 40000000000, 1), ('epoch 3', 40000000000, 50000000000, 1),
    ('epoch 4', 50000000000, 62000000000, 1), ('epoch 5', 62000000000, 76000000000, 1), ('epoch', 0, 76000000000, 1);

-- case: a bit is enough where that is asked for; the first one is not looked at
-- param: min_ratio=1.1
-- expect: warning high - | epoch 5 took 14.0 s, 1.17 times the median of the 5 epochs (12.0 s).

-- case: they are equal enough
-- expect: nothing

-- case: twice the others
UPDATE phase_interval SET end_ns = 58000000000 + 28000000000 WHERE label = 'epoch 5';
-- expect: warning high - | epoch 5 took 24.0 s, 2.00 times the median of the 5 epochs (12.0 s).

-- case: in the second of two runs
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch 1', 80000000000, 81000000000, 2), ('epoch 2', 81000000000, 82000000000, 2), ('epoch 3', 82000000000, 83000000000, 2), ('epoch 4', 83000000000, 86000000000, 2);
-- expect: warning high - | epoch 4 of run 2 took 3.00 s, 3.00 times the median of the 4 epochs (1.00 s).
