-- title: CUDA API calls
-- needs: cuda_call
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: time_pct percent share of the time of all rows, those that limit hides included
-- column: total_ns dur_ns sum of the durations
-- column: calls count calls, those of unknown duration included
-- column: avg_ns dur_ns mean duration in ns
-- column: med_ns dur_ns median duration in ns; mean of the middle two of an even number
-- column: min_ns dur_ns shortest
-- column: max_ns dur_ns longest
-- column: stddev_ns dur_ns sample standard deviation in ns, rounded to 0.1 ns; 0 for a single call
-- column: name TEXT function
-- column: p95_ns dur_ns 95th percentile, nearest rank
-- column: p99_ns dur_ns 99th percentile, nearest rank
-- column: kind TEXT what time spent in it means: wait (for the GPU), memory, or other (handing over work)
-- column: errors count calls that returned something else than success
-- loss: either avg_ns, med_ns, stddev_ns, p95_ns, p99_ns
-- loss: upper min_ns
-- order: total_ns DESC, name
--
-- The columns of 'nsys stats -r cuda_api_sum', and some more. Times are those of the CPU thread that called, not of the work
-- that it gave to the GPU.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- raw: read the calls. Else op_stat answers; but it cannot for several processes, whose percentiles do not add up.
    mode AS MATERIALIZED (
        SELECT
            :pid IS NULL AND :process IS NULL AS everyone,
            coalesce(:start_ns, :end_ns, :phase) IS NOT NULL OR (SELECT count(*) FROM who) > 1 AS raw
    ),
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    -- The periods with the ids of the calls in them; none unless raw, so that no call is read.
    win AS MATERIALIZED (
        SELECT
            start_ns,
            end_ns,
            coalesce((SELECT first_id FROM call_block AS b WHERE b.start_ns < p.start_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS first_id,
            coalesce((SELECT last_id FROM call_block AS b WHERE b.start_ns < p.end_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS last_id
        FROM period AS p
        WHERE (SELECT raw FROM mode)
    ),
    item AS MATERIALIZED (
        SELECT c.op_id, c.dur_ns, c.ret < 0 AS error
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND c.op_id IN (SELECT id FROM op WHERE layer = 'cuda')
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
    ),
    total AS MATERIALIZED (
        SELECT
            op_id,
            count(*) AS calls,
            coalesce(sum(error), 0) AS errors,
            count(dur_ns) AS timed,
            sum(dur_ns) AS total_ns,
            avg(dur_ns) AS mean,
            min(dur_ns) AS min_ns,
            max(dur_ns) AS max_ns
        FROM item
        GROUP BY op_id
    ),
    ranked AS (
        SELECT op_id, dur_ns, row_number() OVER (PARTITION BY op_id ORDER BY dur_ns) AS rank FROM item WHERE dur_ns IS NOT NULL
    ),
    stat AS (
        SELECT op_id, calls, errors, timed, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, stddev_ns
        FROM op_stat
        WHERE NOT (SELECT raw FROM mode)
            AND process_id IS (SELECT id FROM who)
            AND ((SELECT everyone FROM mode) OR process_id IS NOT NULL)
        UNION ALL
        SELECT
            t.op_id, t.calls, t.errors, t.timed, t.total_ns, t.min_ns, t.max_ns,
            avg(r.dur_ns) FILTER (WHERE r.rank IN ((t.timed + 1) / 2, t.timed / 2 + 1)),
            max(r.dur_ns) FILTER (WHERE r.rank = (95 * t.timed + 99) / 100),
            max(r.dur_ns) FILTER (WHERE r.rank = (99 * t.timed + 99) / 100),
            CASE WHEN t.timed > 1 THEN sqrt(sum((r.dur_ns - t.mean) * (r.dur_ns - t.mean)) / (t.timed - 1)) WHEN t.timed THEN 0.0 END
        FROM total AS t
        LEFT JOIN ranked AS r ON r.op_id = t.op_id
        GROUP BY t.op_id
    )
SELECT
    100.0 * s.total_ns / sum(s.total_ns) OVER () AS time_pct,
    s.total_ns,
    s.calls,
    1.0 * s.total_ns / s.timed AS avg_ns,
    s.p50_ns AS med_ns,
    s.min_ns,
    s.max_ns,
    round(s.stddev_ns, 1) AS stddev_ns,
    o.name,
    s.p95_ns,
    s.p99_ns,
    o.kind,
    s.errors
FROM stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.layer = 'cuda'
ORDER BY total_ns DESC, name
LIMIT coalesce(:limit, -1);
