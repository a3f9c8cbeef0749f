-- title: CUDA memory operations by time
-- group: gpu
-- needs: gpu_copy
-- param: start_ns ts_ns NULL -- only copies and sets that start at this time or later
-- param: end_ns ts_ns NULL -- only copies and sets that start before this time
-- param: phase TEXT NULL -- only copies and sets that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: time_pct percent share of the time of all rows, those that limit hides included
-- column: total_ns dur_ns sum of the durations
-- column: count count copies and sets, those of unknown duration left out
-- column: avg_ns dur_ns mean duration in ns
-- column: med_ns dur_ns median duration in ns; mean of the middle two of an even number
-- column: min_ns dur_ns shortest
-- column: max_ns dur_ns longest
-- column: stddev_ns dur_ns sample standard deviation in ns, rounded to 0.1 ns; 0 for a single one
-- column: operation TEXT direction of a copy, or a set
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
    g.min_ns,
    g.max_ns,
    round(g.stddev_ns, 1) AS stddev_ns,
    n.text AS operation
FROM gpu_stat AS g
JOIN string AS n ON n.id = g.name_id
JOIN string AS k ON k.id = g.kind_id
WHERE by = 'kind,name' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    AND k.text IN ('copy', 'set') AND g.timed > 0
ORDER BY g.total_ns DESC, operation, k.text
LIMIT coalesce(:limit, -1);
