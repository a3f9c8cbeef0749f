-- 200 requests of 1 ms, and of these every 50th of 80 ms: 4, 2 %
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO block_request (start_ns, dur_ns, device_id, op, bytes, source_id)
SELECT i, CASE WHEN i % 50 = 0 THEN 80000000 ELSE 1000000 END, 3, 0, 4096, 1 FROM n;

-- case: two of a hundred
-- expect: warning high - | 4 of 200 requests to nvme0n1, 2.0%, took 50.0 ms or more; the longest 80.0 ms.

-- case: others were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=4 of >=200 requests to nvme0n1, ~2.0%, took 50.0 ms or more; the longest >=80.0 ms.

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
-- expect: warning high 320000000 | 4 of 200 requests to nvme0n1, 2.0%, took 50.0 ms or more; the longest 80.0 ms.
