-- 5,000 writes of 80 bytes, 3 s of 100 s; a pipe's
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 4, 'write', 5000, 0, 5000, 400000, 3000000000, 1, 2),
    ('template,verb', 3, 'write', 9000, 0, 9000, 9000, 90000000000, 1, 2);

-- case: a log
-- expect: warning high - | 5,000 writes to train.log moved 80 B each and took 3.00 s, 3.0% of the run.

-- case: the same, and its end is missing
UPDATE source SET state = 'cut';
-- expect: warning medium - | >=5,000 writes to train.log moved ~80 B each and took >=3.00 s, ~3.0% of the run.

-- case: 0.9 s are not long
UPDATE file_stat SET total_ns = 900000000 WHERE key_id = 4;
-- expect: nothing

-- case: 2,000 bytes are not small
UPDATE file_stat SET done_bytes = 10000000 WHERE key_id = 4;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 6000000000 | 5,000 writes to train.log moved 80 B each and took 3.00 s, 3.0% of the run.
