-- two images, opened 3,002 times of which 2 failed: 1,500 each, in 600 ms of 100 s; a file that was opened 999 times in one second
INSERT INTO file (id, name, class, class_known, template_id, truncated) VALUES (5, 'img2.jpg', 'regular', 1, 1, 0);
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'open', 3002, 2, 3002, NULL, 600000000, 1, 2),
    ('template,verb', 2, 'open', 999, 0, 999, NULL, 1000000000, 1, 2);

-- case: again and again
-- expect: warning high - | 2 files like img{}.jpg were opened 3,000 times, 1,500.0 times each, which took 600 ms.

-- case: opens were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=2 files like img{}.jpg were opened >=3,000 times, ~1,500.0 times each, which took >=600 ms.

-- case: in 3 epochs they are 500 of each in each
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES ('epoch', 0, 9, 1), ('epoch 1', 0, 3, 1), ('epoch 2', 3, 6, 1), ('epoch 3', 6, 9, 1);
-- param: min_each=500
-- expect: warning high - | 2 files like img{}.jpg were opened 3,000 times, 1,500.0 times each in 3 epochs, which took 600 ms.

-- case: once in an epoch is no fault, however many there are
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) SELECT 'epoch ' || i, i, i + 1, 1 FROM n;
-- expect: nothing

-- case: 1,501 each are asked for
-- param: min_each=1501
-- expect: nothing

-- case: 0.4 s of 100 s
UPDATE file_stat SET total_ns = 400000000 WHERE key_id = 1;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 1200000000 | 2 files like img{}.jpg were opened 3,000 times, 1,500.0 times each, which took 600 ms.
