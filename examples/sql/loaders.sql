-- How is the work spread over the data loaders?
SELECT c.pid, p.role, count(*) AS reads, sum(c.done_bytes) AS bytes, sum(c.dur_ns) / 1000000 AS ms
FROM io_calls AS c
JOIN processes AS p ON p.pid = c.pid
WHERE c.verb = 'read' AND p.role = 'data-loader'
GROUP BY c.pid
ORDER BY c.pid;
