INSERT INTO string VALUES (10, 'regular');
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, max_ns, first_ns, last_ns) VALUES
    ('class,verb', 10, 'sync', 4, 0, 4, NULL, 8000000000, 3000000000, 1, 2),
    ('class,verb', 10, 'write', 4, 0, 4, NULL, 9000000000, 3000000000, 1, 2);

-- case: 8 s of 100 s
-- expect: warning high - | 4 syncs (fsync and the like) took 8.00 s, 8.0% of the run; the longest 3.00 s.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=4 syncs (fsync and the like) took >=8.00 s, ~8.0% of the run; the longest >=3.00 s.

-- case: 1.9 s of 100 s
UPDATE file_stat SET total_ns = 1900000000 WHERE verb = 'sync';
-- expect: nothing

-- case: a GPU idled for 5 s in all
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 95000000000, 95000000000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file write', 'exact', 8000000000, 5000000000, 5000000000),
    ('(run)', 1, 'lock, queue or pipe', 'exact', 9000000000, 9000000000, 9000000000);
-- expect: warning high 5000000000 | 4 syncs (fsync and the like) took 8.00 s, 8.0% of the run; the longest 3.00 s.

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 16000000000 | 4 syncs (fsync and the like) took 8.00 s, 8.0% of the run; the longest 3.00 s.

-- case: 6 s of the 8 s for the same files
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, max_ns, first_ns, last_ns) VALUES
    ('template,verb', 4, 'sync', 3, 0, 3, NULL, 6000000000, 3000000000, 1, 2), ('template,verb', 2, 'sync', 1, 0, 1, NULL, 2000000000, 2000000000, 1, 2),
    ('template,verb', 2, 'write', 9, 0, 9, NULL, 9000000000, 2000000000, 1, 2);
-- expect: warning high - | 4 syncs (fsync and the like) took 8.00 s (75 % of it train.log), 8.0% of the run; the longest 3.00 s.
