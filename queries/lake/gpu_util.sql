-- How busy sampled GPUs were, of each run: the bounds of 'tracedb report gpu_util'.
SELECT
    g.run AS run,
    d.number AS gpu,
    d.host AS host,
    g.basis AS basis,
    1e2 * g.busy_min_ns / nullif(g.wall_ns, 0) AS busy_min_pct,
    1e2 * g.busy_max_ns / nullif(g.wall_ns, 0) AS busy_max_pct
FROM lake.gpu_phase AS g
JOIN lake.device AS d ON d.run = g.run AND d.id = g.device_id
JOIN (SELECT DISTINCT run, device_id FROM lake.gpu_sampler) AS s ON s.run = g.run AND s.device_id = g.device_id
WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
ORDER BY g.run, gpu, host;
