-- 200 requests of 1 ms, and of these every 50th of 80 ms: 4, 2 %
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO block_request (start_ns, dur_ns, device_id, op, bytes, source_id)
SELECT i, CASE WHEN i % 50 = 0 THEN 80000000 ELSE 1000000 END, 3, 0, 4096, 1 FROM n;

-- case: two of a hundred
-- expect: warning high - | 4 of 200 requests to nvme0n1, 2.0%, took 50.0 ms or more; the longest 80.0 ms (at 0.000s).

-- case: whose the longest is, and the call that waits for it
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 11, 'other', 1);
UPDATE block_request SET start_ns = 5000000000, dur_ns = 90000000, process_id = 1 WHERE id = 100;
INSERT INTO call (id, start_ns, dur_ns, process_id, op_id, file_id, source_id, nested) VALUES
    (1, 4999000000, 95000000, 1, 1, 2, 1, 0), (2, 4000000000, 3000000000, 1, 1, 1, 1, 0), (3, 4999000000, 93000000, 2, 1, 1, 1, 0), (4, 5001000000, 94000000, 1, 1, 1, 1, 0);
INSERT INTO longest VALUES ('call', 2, 3000000000, 1, 0), ('call', 1, 95000000, 1, 0), ('call', 4, 94000000, 1, 0), ('call', 3, 93000000, 1, 0);
-- expect: warning high - | 4 of 200 requests to nvme0n1, 2.0%, took 50.0 ms or more; the longest 90.0 ms (at 5.000s, big.bin, by python 10).

-- case: others were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=4 of >=200 requests to nvme0n1, ~2.0%, took 50.0 ms or more; the longest >=80.0 ms (at 0.000s).

-- case: 80 ms are usual there
-- param: slow_ns=81ms
-- expect: nothing

-- case: few requests
DELETE FROM block_request WHERE id > 99;
-- expect: nothing

-- case: two of the slow ones are reads, 160 ms together, for which two GPUs can have waited
UPDATE block_request SET op = 1 WHERE id IN (50, 100);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 320000000 | 4 of 200 requests to nvme0n1, 2.0%, took 50.0 ms or more; the longest 80.0 ms (at 0.000s).
