-- always high: processes that nobody saw start or end are not counted, so that there are so many at least
-- 250 of 10 ms
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
INSERT INTO process (pid, name, lifetime, start_ns, end_ns) SELECT i, 'ffmpeg', 1, i, i + 10000000 FROM n;
INSERT INTO process (pid, name, lifetime, start_ns, end_ns) VALUES (9000, 'python', 1, 1, 90000000000), (9001, 'ffmpeg', 1, 1, NULL);

-- case: one for each sample
-- expect: warning high - | 250 processes called ffmpeg lived for 10.0 ms on average.

-- case: they live longer
-- param: max_ns=9ms
-- expect: nothing

-- case: few
DELETE FROM process WHERE pid > 199;
-- expect: nothing
