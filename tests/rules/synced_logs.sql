INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
-- train.log is string 4: 200 writes of 80 bytes, each synced; big.bin is no log
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,process,verb', 4, 1, 'write', 200, 0, 200, 16000, 2000000, 1, 2), ('template,process,verb', 4, 1, 'sync', 200, 0, 200, NULL, 798000000, 1, 2),
    ('template,process,verb', 2, 1, 'write', 9, 0, 9, 1600000, 9000000000, 1, 2);

-- case: each line is synced
-- expect: warning high - | python (10) wrote train.log in 200 writes of 80 B, with 200 syncs: 800 ms in all.

-- case: some were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | python (10) wrote train.log in >=200 writes of ~80 B, with >=200 syncs: >=800 ms in all.

-- case: few syncs, but of 2 s
UPDATE file_stat SET calls = 2, total_ns = 1998000000 WHERE verb = 'sync';
-- expect: warning high - | python (10) wrote train.log in 200 writes of 80 B, with 2 syncs: 2.00 s in all.

-- case: a log that is not synced
DELETE FROM file_stat WHERE verb = 'sync';
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 1600000000 | python (10) wrote train.log in 200 writes of 80 B, with 200 syncs: 800 ms in all.
