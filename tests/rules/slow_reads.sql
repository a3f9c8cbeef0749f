-- 30 s, a million times the median of 30 us
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, max_ns, p50_ns, p99_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'read', 2000, 0, 2000, 9, 40000000000, 30000000000, 30000, 900000, 1, 2),
    ('template,verb', 2, 'read', 2000, 0, 2000, 9, 40000000000, 1500000000, 500000000, 900000000, 1, 2),
    ('template,verb', 3, 'read', 2000, 0, 2000, 9, 90000000000, 90000000000, 30000, 900000, 1, 2);

-- case: one read hung
-- expect: warning high - | A read of img{}.jpg took 30.0 s: of its 2,000 reads half took 30.0 us at most, 99 % 900 us.

-- case: others were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | A read of img{}.jpg took >=30.0 s: of its >=2,000 reads half took ~30.0 us at most, 99 % ~900 us.

-- case: 0.9 s are not long
UPDATE file_stat SET max_ns = 900000000 WHERE key_id = 1;
-- expect: nothing

-- case: one of a hundred takes nearly as long: a cold start
UPDATE file_stat SET p99_ns = 25000000000 WHERE key_id = 1;
-- expect: nothing

-- case: they all take long
UPDATE file_stat SET p50_ns = 400000000 WHERE key_id = 1;
-- expect: nothing

-- case: a GPU idled for 60 s while files were read, but no longer than 40 s can be due to these
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 40000000000, 40000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file read', 'exact', 60000000000, 60000000000, 60000000000);
-- 40 s - 2000 * 30 us * 0.49
-- expect: warning high 39970600000 | A read of img{}.jpg took 30.0 s: of its 2,000 reads half took 30.0 us at most, 99 % 900 us.

-- case: the longest calls are known: a read of 30 s, 4.25 s from the begin on, and one of 2 s of these images; one of another file, one that is short
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 77, 'python', 1);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, nested, unfinished, source_id) VALUES
    (1, 4250000000, 30000000000, 1, 1, 1, 0, 0, 1), (2, 2, 2000000000, 1, NULL, 1, 0, 0, 1), (3, 3, 5000000000, 1, NULL, 2, 0, 0, 1), (4, 4, 900000000, 1, NULL, 1, 0, 0, 1);
INSERT INTO longest (what, id, dur_ns, op_id, waits) SELECT 'call', id, dur_ns, op_id, 0 FROM call;
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 40000000000, 40000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file read', 'exact', 60000000000, 60000000000, 60000000000);
-- 30 s + 2 s
-- expect: warning high 32000000000 | A read of img{}.jpg took 30.0 s (img1.jpg, at 4.250s, by python 77): of its 2,000 reads half took 30.0 us at most, 99 % 900 us.
