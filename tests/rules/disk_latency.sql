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
