-- In how many samples was a GPU idle, all of it?
SELECT gpu, count(*) AS samples, sum(value = 0) AS idle, round(100.0 * sum(value = 0) / count(*), 1) AS idle_pct
FROM samples
WHERE counter = 'gpu.sm' AND value IS NOT NULL
GROUP BY gpu
ORDER BY gpu;
