-- Who writes what?
SELECT process, pid, file, count(*) AS writes, sum(done_bytes) AS bytes
FROM io_calls
WHERE verb = 'write'
GROUP BY process, pid, file
ORDER BY bytes DESC, pid, file
LIMIT 10;
