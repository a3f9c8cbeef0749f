-- When did the CPUs wait for disks most?
SELECT round(t_s, 1) AS t_s, phase, value AS iowait_pct
FROM samples
WHERE counter = 'cpu.iowait' AND cpu IS NULL
ORDER BY value DESC, start_ns
LIMIT 5;
