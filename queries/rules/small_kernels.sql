-- title: The GPU gets its work in small pieces
-- level: warning
-- needs: gpu_kernel, gpu_phase
-- param: max_ns dur_ns 10us -- a mean kernel that takes less is small
-- param: min_kernels INTEGER 1000 -- so many are reported
-- param: min_idle_pct REAL 10 -- if the GPUs idled for such a share of the time
-- columns: kernels, mean_ns, idle_pct, saves_ns
-- column: mean_ns dur_ns how long they took on average
-- column: idle_pct percent share of the time that the GPUs idled
-- column: saves_ns dur_ns idle time of all GPUs while the host launched for this or another rank, at most: in operators, and in CUDA calls, of these not more than the calls that launch took of each; NULL: nothing of it was recorded
-- loss: either mean_ns, idle_pct, saves_ns
-- order: kernels
-- finding: {kernels} kernels took {mean_ns} on average, and the GPUs idled for {idle_pct} of the time: launching takes about as long.
-- advice: Larger batches; CUDA graphs or torch.compile (mode="reduce-overhead"); fused optimizers and layers (foreach, apex, xformers).
-- unless: the GPU waits for data ('report gpu_idle').
SELECT
    k.kernels,
    k.mean_ns,
    100.0 * g.idle_ns / g.wall_ns AS idle_pct,
    (
        SELECT sum(CASE i.cause WHEN 'CUDA call' THEN min(i.idle_max_ns, coalesce(l.total_ns, i.idle_max_ns)) ELSE i.idle_max_ns END) FILTER (WHERE i.cause <> 'other ranks at work')
            -- and for other ranks no longer than these were at it, each
            + min(
                coalesce(sum(i.idle_max_ns) FILTER (WHERE i.cause = 'other ranks at work'), 0),
                count(DISTINCT i.device_id) * sum(i.cause_ns) FILTER (WHERE i.cause <> 'other ranks at work')
            )
        FROM gpu_idle_each AS i
        CROSS JOIN (SELECT sum(c.total_ns) AS total_ns FROM call_stat AS c JOIN op AS o ON o.id = c.op_id WHERE c.by = 'op' AND o.layer = 'cuda' AND o.verb = 'launch') AS l
        WHERE i.cause IN ('CUDA call', 'launching operators', 'other ranks at work')
    ) AS saves_ns
FROM (
    SELECT coalesce(sum(ops), 0) AS kernels, 1.0 * sum(total_ns) / nullif(sum(timed), 0) AS mean_ns
    FROM gpu_stat
    WHERE by = 'kind,name' AND kind_id IN (SELECT id FROM string WHERE text = 'kernel')
) AS k
CROSS JOIN (
    SELECT sum(wall_ns - busy_max_ns) AS idle_ns, sum(wall_ns) AS wall_ns
    FROM gpu_phase
    WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL
) AS g
WHERE k.kernels >= coalesce(:min_kernels, 1000) AND k.mean_ns < coalesce(:max_ns, 10000)
    AND 100.0 * g.idle_ns >= coalesce(:min_idle_pct, 10) * g.wall_ns
ORDER BY kernels;
