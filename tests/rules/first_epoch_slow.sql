-- always high: a log that loses a line has no end of an epoch, which then is none; its clock moves all of them
-- 20 s, then 10 s, 10 s, 12 s and 14 s: the median of the others is (10 + 12) / 2 = 11 s
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch 0', 0, 20000000000, 1), ('epoch 1', 20000000000, 30000000000, 1), ('epoch 2', 30000000000, 40000000000, 1),
    ('epoch 3', 40000000000, 52000000000, 1), ('epoch 4', 52000000000, 66000000000, 1), ('epoch', 0, 66000000000, 1);

-- case: a cold start
-- expect: info high - | The first epoch took 20.0 s, 1.82 times the median of the 4 others (11.0 s).

-- case: twice as long is asked for
-- param: min_ratio=2
-- expect: nothing

-- case: one epoch is nothing to compare with
DELETE FROM phase_interval WHERE label IN ('epoch 2', 'epoch 3', 'epoch 4');
-- expect: nothing
