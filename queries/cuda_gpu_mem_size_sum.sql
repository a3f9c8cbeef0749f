-- title: CUDA memory operations by size
-- group: gpu
-- needs: gpu_copy
-- filters: time, process, limit
-- time: copies and sets that start
-- columns: total_bytes, count, avg_bytes, med_bytes, min_bytes, max_bytes, stddev_bytes, operation
-- column: total_bytes bytes sum of the sizes
-- column: count count copies and sets, those of unknown size left out
-- column: avg_bytes bytes mean size in bytes
-- column: med_bytes bytes median size in bytes; mean of the middle two of an even number
-- column: min_bytes bytes smallest
-- column: stddev_bytes bytes sample standard deviation in bytes, rounded to 0.1; 0 for a single one
-- loss: either avg_bytes, med_bytes, stddev_bytes
-- loss: upper min_bytes
-- order: total_bytes DESC, operation
--
-- The columns of 'nsys stats -r cuda_gpu_mem_size_sum', in bytes.
WITH
    pair AS MATERIALIZED (
        SELECT name_id, each_bytes AS v, sum(ops) AS c
        FROM gpu_stat
        WHERE by = 'device,kind,name,bytes' AND kind_id IN (SELECT id FROM string WHERE text IN ('copy', 'set')) AND each_bytes IS NOT NULL
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        GROUP BY name_id, each_bytes
    ),
    total AS MATERIALIZED (
        SELECT name_id, sum(c) AS n, sum(c * v) AS total, 1.0 * sum(c * v) / sum(c) AS mean, min(v) AS least, max(v) AS most
        FROM pair
        GROUP BY name_id
    ),
    ranked AS (
        SELECT name_id, v, c, sum(c) OVER (PARTITION BY name_id ORDER BY v) AS upto FROM pair
    ),
    spread AS (
        SELECT
            t.name_id,
            (min(r.v) FILTER (WHERE r.upto >= (t.n + 1) / 2) + min(r.v) FILTER (WHERE r.upto >= t.n / 2 + 1)) / 2.0 AS median,
            CASE WHEN t.n > 1 THEN sqrt(sum(r.c * (r.v - t.mean) * (r.v - t.mean)) / (t.n - 1)) ELSE 0.0 END AS deviation
        FROM total AS t
        JOIN ranked AS r ON r.name_id = t.name_id
        GROUP BY t.name_id
    )
SELECT
    t.total AS total_bytes,
    t.n AS count,
    t.mean AS avg_bytes,
    s.median AS med_bytes,
    t.least AS min_bytes,
    t.most AS max_bytes,
    round(s.deviation, 1) AS stddev_bytes,
    n.text AS operation
FROM total AS t
JOIN spread AS s ON s.name_id = t.name_id
JOIN string AS n ON n.id = t.name_id
ORDER BY total_bytes DESC, operation
LIMIT coalesce(:limit, -1);
