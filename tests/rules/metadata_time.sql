INSERT INTO string VALUES (10, 'regular'), (11, 'directory'), (12, 'pipe');
-- 2 s + 1 s of opens and stats, 2.5 s of reads; a pipe's 50 s do not count
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,verb', 10, 'open', 2500, 0, 2500, NULL, 2000000000, 1, 2),
    ('class,verb', 11, 'stat', 200, 100, 200, NULL, 1000000000, 1, 2),
    ('class,verb', 10, 'read', 9000, 0, 200, NULL, 2500000000, 1, 2),
    ('class,verb', 12, 'read', 9000, 0, 200, NULL, 50000000000, 1, 2);

-- case: more than the reads
-- expect: warning high - | 2,700 opens, closes, stats and listings took 3.00 s, 3.0% of the run; reads, writes and syncs 2.50 s.

-- case: some were lost
UPDATE source SET issues = 3;
-- expect: warning medium - | >=2,700 opens, closes, stats and listings took >=3.00 s, ~3.0% of the run; reads, writes and syncs >=2.50 s.

-- case: less than the reads
UPDATE file_stat SET total_ns = 3000000000 WHERE verb = 'read';
-- expect: nothing

-- case: little time
-- param: min_pct=3.1
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 6000000000 | 2,700 opens, closes, stats and listings took 3.00 s, 3.0% of the run; reads, writes and syncs 2.50 s.

-- case: 20 s of 100 s, but less than the reads; 15 s of it of images, 4 s of which were opens, and 20 s of reads of these are none
UPDATE file_stat SET total_ns = 19000000000 WHERE verb = 'open';
UPDATE file_stat SET total_ns = 40000000000 WHERE verb = 'read';
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'open', 900, 0, 900, NULL, 4000000000, 1, 2), ('template,verb', 1, 'stat', 900, 0, 900, NULL, 11000000000, 1, 2),
    ('template,verb', 1, 'read', 900, 0, 900, NULL, 20000000000, 1, 2), ('template,verb', 2, 'open', 900, 0, 900, NULL, 5000000000, 1, 2);
-- expect: warning high - | 2,700 opens, closes, stats and listings took 20.0 s (75 % of it img{}.jpg), 20.0% of the run; reads, writes and syncs 40.0 s.

-- case: the same, and less is critical
-- param: critical_pct=19
UPDATE file_stat SET total_ns = 19000000000 WHERE verb = 'open';
-- expect: critical high - | 2,700 opens, closes, stats and listings took 20.0 s, 20.0% of the run; reads, writes and syncs 2.50 s.

-- case: more is asked for
-- param: large_pct=20.5
UPDATE file_stat SET total_ns = 19000000000 WHERE verb = 'open';
UPDATE file_stat SET total_ns = 40000000000 WHERE verb = 'read';
-- expect: nothing
