-- How large are reads? A row for each power of two.
WITH RECURSIVE size (least) AS (SELECT 1 UNION ALL SELECT least * 2 FROM size WHERE least < 1 << 40)
SELECT s.least AS at_least_bytes, count(*) AS reads, sum(c.done_bytes) AS bytes
FROM size AS s
JOIN io_calls AS c ON c.done_bytes >= s.least AND c.done_bytes < s.least * 2
WHERE c.verb = 'read'
GROUP BY s.least
ORDER BY s.least;
