-- Which kernels took the time of the GPUs?
SELECT gpu, name, count(*) AS kernels, sum(dur_ns) AS total_ns, max(dur_ns) AS longest_ns
FROM kernels
GROUP BY gpu, name
ORDER BY total_ns DESC, name
LIMIT 5;
