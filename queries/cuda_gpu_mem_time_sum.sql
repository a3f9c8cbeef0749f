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
-- order: total_ns DESC, operation
--
-- The columns of 'nsys stats -r cuda_gpu_mem_time_sum'. Copies that run at the same time both count.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    -- Equal values counted together, so that what follows has less to sort.
    pair AS MATERIALIZED (
        SELECT g.name_id, g.dur_ns AS v, count(*) AS c
        FROM gpu_op AS g
        WHERE g.kind_id IN (SELECT id FROM string WHERE text IN ('copy', 'set')) AND g.dur_ns IS NOT NULL
            AND (:pid IS NULL AND :process IS NULL OR g.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
            )
        GROUP BY g.name_id, g.dur_ns
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
    100.0 * t.total / sum(t.total) OVER () AS time_pct,
    t.total AS total_ns,
    t.n AS count,
    t.mean AS avg_ns,
    s.median AS med_ns,
    t.least AS min_ns,
    t.most AS max_ns,
    round(s.deviation, 1) AS stddev_ns,
    n.text AS operation
FROM total AS t
JOIN spread AS s ON s.name_id = t.name_id
JOIN string AS n ON n.id = t.name_id
ORDER BY total_ns DESC, operation
LIMIT coalesce(:limit, -1);
