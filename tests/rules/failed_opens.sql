INSERT INTO string VALUES (10, 'regular'), (11, 'directory');
-- 1,900 + 100 of 2,500 + 200: 74.07 %
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,verb', 10, 'open', 2500, 1900, 2500, NULL, 6000000, 1, 2),
    ('class,verb', 11, 'open', 200, 100, 200, NULL, 1000000, 1, 2),
    ('class,verb', 11, 'read', 9000, 9000, 200, NULL, 1000000, 1, 2);

-- case: a search path
-- expect: info high - | 2,000 of 2,700 opens failed, 74.1%; all of them took 7.00 ms.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: info medium - | >=2,000 of >=2,700 opens failed, ~74.1%; all of them took >=7.00 ms.

-- case: few
-- param: min_errors=2001
-- expect: nothing

-- case: many, but most succeed
UPDATE file_stat SET calls = 4000 WHERE key_id = 10;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: info high 14000000 | 2,000 of 2,700 opens failed, 74.1%; all of them took 7.00 ms.

-- case: 1,500 of the 2,000 look for the same files
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'open', 1600, 1500, 1600, NULL, 6000000, 1, 2), ('template,verb', 2, 'open', 600, 500, 600, NULL, 6000000, 1, 2),
    ('template,verb', 2, 'read', 6000, 6000, 600, NULL, 6000000, 1, 2);
-- expect: info high - | 2,000 of 2,700 opens failed, 74.1% (75 % of them img{}.jpg); all of them took 7.00 ms.

-- case: a log without durations
UPDATE file_stat SET timed = 0, total_ns = NULL;
-- expect: info high - | 2,000 of 2,700 opens failed, 74.1%.
