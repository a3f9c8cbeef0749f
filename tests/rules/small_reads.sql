-- 2,000 reads of 4,096 bytes, 30 s of 100 s; 2,000 of 1 MB; a pipe's
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'read', 2000, 0, 2000, 8192000, 30000000000, 1, 2),
    ('template,verb', 2, 'read', 2000, 0, 2000, 2000000000, 40000000000, 1, 2),
    ('template,verb', 3, 'read', 9000, 0, 9000, 9000, 90000000000, 1, 2);

-- case: many small ones
-- expect: warning high - | 2,000 reads of img{}.jpg moved 4 KiB each and took 30.0 s, 30.0% of the run.

-- case: the same, and some were lost
UPDATE source SET lost_events = 7;
-- expect: warning medium - | >=2,000 reads of img{}.jpg moved ~4 KiB each and took >=30.0 s, ~30.0% of the run.

-- case: 999 are few
UPDATE file_stat SET calls = 999 WHERE key_id = 1;
-- expect: nothing

-- case: 0.9 s of 100 s is not long
UPDATE file_stat SET total_ns = 900000000 WHERE key_id = 1;
-- expect: nothing

-- case: 1 MB is small where one says so
-- param: max_bytes=2mb
-- expect: warning high - | 2,000 reads of big.bin moved 1.00 MB each and took 40.0 s, 40.0% of the run.
-- expect: warning high - | 2,000 reads of img{}.jpg moved 4 KiB each and took 30.0 s, 30.0% of the run.

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 60000000000 | 2,000 reads of img{}.jpg moved 4 KiB each and took 30.0 s, 30.0% of the run.

-- case: one GPU idled for 0.11 s of 100 s, more than a thousandth
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 99890000000, 99890000000);
-- expect: warning high 110000000 | 2,000 reads of img{}.jpg moved 4 KiB each and took 30.0 s, 30.0% of the run.

-- case: or for 0.1 s: nothing is to be saved
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 99900000000, 99900000000);
-- expect: info high 100000000 | 2,000 reads of img{}.jpg moved 4 KiB each and took 30.0 s, 30.0% of the run.
