-- Which five reads took longest, and in which phase?
SELECT round(t_s, 3) AS t_s, dur_ns / 1000000 AS ms, pid, file, phase
FROM io_calls
WHERE verb = 'read'
ORDER BY dur_ns DESC, id
LIMIT 5;
