-- 1,500 of 2,000 reads of 4,096 bytes
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, sequential, random, first_ns, last_ns) VALUES
    ('template,verb', 2, 'read', 2000, 0, 2000, 8192000, 3000000000, 500, 1500, 1, 2);

-- case: three of four
-- expect: info high - | 1,500 reads of big.bin, 75.0%, do not begin where the one before ended; they move 4 KiB on average, and all reads took 3.00 s.

-- case: of what is lost nobody knows where it began
UPDATE source SET lost_events = 1;
-- expect: info medium - | >=1,500 reads of big.bin, ~75.0%, do not begin where the one before ended; they move ~4 KiB on average, and all reads took >=3.00 s.

-- case: large pieces
UPDATE file_stat SET done_bytes = 2000000000;
-- expect: nothing

-- case: most are in order
UPDATE file_stat SET sequential = 1501;
-- expect: nothing

-- case: no offset is known
UPDATE file_stat SET sequential = NULL, random = NULL;
-- expect: nothing

-- case: that two GPUs waited for all of it is the most
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: info high 6000000000 | 1,500 reads of big.bin, 75.0%, do not begin where the one before ended; they move 4 KiB on average, and all reads took 3.00 s.
