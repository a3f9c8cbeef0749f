-- 100 requests that waited 3 ms and were served in 1 ms
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
INSERT INTO block_request (start_ns, dur_ns, queue_ns, device_id, op, bytes, source_id)
SELECT i, 1000000, 3000000, 3, 0, 4096, 1 FROM n;

-- case: they wait
-- expect: warning high - | 100 of 100 requests to nvme0n1, 100.0%, waited longer than they were served: 3.00 ms, then 1.00 ms on average.

-- case: beside 200 that a slow disk serves for 80 ms at once: their means are 1 ms of waiting, 54 ms of service
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO block_request (start_ns, dur_ns, queue_ns, device_id, op, bytes, source_id)
SELECT 1000 + i, 80000000, 0, 3, 0, 4096, 1 FROM n;
-- expect: warning high - | 100 of 300 requests to nvme0n1, 33.3%, waited longer than they were served: 3.00 ms, then 1.00 ms on average.

-- case: of 1,001, which is less than 10 %
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 901)
INSERT INTO block_request (start_ns, dur_ns, queue_ns, device_id, op, bytes, source_id)
SELECT 1000 + i, 1000000, 0, 3, 0, 4096, 1 FROM n;
-- expect: nothing

-- case: one of them did not wait so long, 99 did
UPDATE block_request SET queue_ns = 999999 WHERE id = 7;
-- expect: nothing

-- case: others were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=100 of >=100 requests to nvme0n1, ~100.0%, waited longer than they were served: ~3.00 ms, then ~1.00 ms on average.

-- case: they are served longer than they wait
UPDATE block_request SET dur_ns = 4000000;
-- expect: nothing

-- case: nobody knows how long they waited
UPDATE block_request SET queue_ns = NULL;
-- expect: nothing

-- case: 100 reads waited 3 ms each, 300 ms together, for which two GPUs can have waited
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 600000000 | 100 of 100 requests to nvme0n1, 100.0%, waited longer than they were served: 3.00 ms, then 1.00 ms on average.
