-- How much did the disks do in each phase?
SELECT phase, op, count(*) AS requests, sum(bytes) AS bytes, max(dur_ns) / 1000 AS longest_us
FROM requests
GROUP BY phase, op
ORDER BY min(start_ns), op;
