-- title: CUDA memory operations by time
-- group: gpu
-- needs: gpu_copy
-- filters: time, process, limit
-- time: copies and sets that start
-- columns: time_pct, total_ns, count, avg_ns, med_ns, min_ns, max_ns, stddev_ns, operation
-- column: count count copies and sets, those of unknown duration left out
-- loss: either avg_ns, med_ns, stddev_ns
-- loss: upper min_ns
-- order: g.total_ns DESC, operation, k.text
--
-- The columns of 'nsys stats -r cuda_gpu_mem_time_sum'. Copies that run at the same time both count.
SELECT
    100.0 * g.total_ns / sum(g.total_ns) OVER () AS time_pct,
    g.total_ns,
    g.timed AS count,
    1.0 * g.total_ns / g.timed AS avg_ns,
    g.p50_ns AS med_ns,
    g.min_ns, g.max_ns,
    round(g.stddev_ns, 1) AS stddev_ns,
    n.text AS operation
FROM gpu_stat AS g
JOIN string AS n ON n.id = g.name_id
JOIN string AS k ON k.id = g.kind_id
WHERE by = 'kind,name' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    AND g.kind_id IN (SELECT id FROM string WHERE text IN ('copy', 'set')) AND g.timed > 0
ORDER BY g.total_ns DESC, operation, k.text
LIMIT coalesce(:limit, -1);
