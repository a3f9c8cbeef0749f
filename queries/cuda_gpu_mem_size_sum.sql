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
WITH RECURSIVE
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    -- work is in order of time: the first that starts then, and the first behind it
    search (at_ns, low, high) AS (
        SELECT at_ns, 1, coalesce((SELECT max(id) + 1 FROM gpu_op), 1)
        FROM (SELECT min(start_ns) AS at_ns FROM period UNION SELECT max(end_ns) FROM period)
        WHERE at_ns IS NOT NULL
        UNION ALL
        SELECT s.at_ns, CASE WHEN g.start_ns < s.at_ns THEN g.id + 1 ELSE s.low END, CASE WHEN g.start_ns < s.at_ns THEN s.high ELSE g.id END
        FROM search AS s
        JOIN gpu_op AS g ON g.id = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    among AS MATERIALIZED (SELECT min(low) AS first_id, max(low) AS end_id FROM search WHERE low = high),
    -- Equal values counted together, so that what follows has less to sort.
    pair AS MATERIALIZED (
        SELECT g.name_id, g.bytes AS v, count(*) AS c
        FROM among AS a
        CROSS JOIN gpu_op AS g ON g.id >= a.first_id AND g.id < a.end_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text IN ('copy', 'set')) AND g.bytes IS NOT NULL
            AND (:pid IS NULL AND :process IS NULL OR g.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
            )
        GROUP BY g.name_id, g.bytes
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
