-- title: The GPU gets its work in small pieces
-- level: warning
-- needs: gpu_kernel, gpu_phase
-- param: max_ns dur_ns 10us -- a mean kernel that takes less is small
-- param: min_kernels INTEGER 1000 -- so many are reported
-- param: min_idle_pct REAL 10 -- if the GPUs idled for such a share of the time
-- columns: kernels, mean_ns, idle_pct, saves_ns
-- column: mean_ns dur_ns how long they took on average
-- column: idle_pct percent share of the time that the GPUs idled
-- column: saves_ns dur_ns idle time of all GPUs, at most: what launching takes of it is not known; NULL: no launches and operators were recorded
-- loss: either mean_ns, idle_pct, saves_ns
-- order: kernels
-- finding: {kernels} kernels took {mean_ns} on average, and the GPUs idled for {idle_pct} of the time: launching takes about as long.
-- advice: Larger batches; CUDA graphs or torch.compile (mode="reduce-overhead"); fused optimizers and layers (foreach, apex, xformers).
-- unless: the GPU waits for data ('report gpu_idle').
SELECT
    k.kernels,
    k.mean_ns,
    100.0 * g.idle_ns / g.wall_ns AS idle_pct,
    CASE WHEN EXISTS (SELECT 1 FROM gpu_idle_each WHERE cause IN ('CUDA call', 'launching operators')) THEN g.idle_max_ns END AS saves_ns
FROM (
    SELECT coalesce(sum(ops), 0) AS kernels, 1.0 * sum(total_ns) / nullif(sum(timed), 0) AS mean_ns
    FROM gpu_stat
    WHERE by = 'kind,name' AND kind_id IN (SELECT id FROM string WHERE text = 'kernel')
) AS k
CROSS JOIN (
    SELECT sum(wall_ns - busy_max_ns) AS idle_ns, sum(wall_ns - busy_min_ns) AS idle_max_ns, sum(wall_ns) AS wall_ns
    FROM gpu_phase
    WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL
) AS g
WHERE k.kernels >= coalesce(:min_kernels, 1000) AND k.mean_ns < coalesce(:max_ns, 10000)
    AND 100.0 * g.idle_ns >= coalesce(:min_idle_pct, 10) * g.wall_ns
ORDER BY kernels;
