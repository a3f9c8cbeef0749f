-- Which files are opened most often?
SELECT file, count(*) AS opens, count(DISTINCT pid) AS processes
FROM io_calls
WHERE verb = 'open'
GROUP BY file
ORDER BY opens DESC, file
LIMIT 5;
