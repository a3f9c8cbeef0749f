-- title: OS runtime summary
-- needs: call
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: time_pct percent share of the time of all rows, those that limit hides included
-- column: total_ns dur_ns sum of the durations
-- column: calls count calls that returned, those of unknown duration included
-- column: avg_ns dur_ns mean duration in ns
-- column: med_ns dur_ns median duration in ns; mean of the middle two of an even number
-- column: min_ns dur_ns shortest
-- column: max_ns dur_ns longest
-- column: stddev_ns dur_ns sample standard deviation in ns, rounded to 0.1 ns; 0 for a single call
-- column: name TEXT operation
-- column: p95_ns dur_ns 95th percentile, nearest rank
-- column: p99_ns dur_ns 99th percentile, nearest rank
-- column: wall_pct percent total_ns as a share of the length of the run, or of the times asked for; over 100 if calls run in parallel
-- column: kind TEXT what time spent in it means: io, wait, lock, memory or other
-- column: layer TEXT where it was observed: libc, syscall or vfs
-- column: errors count calls that failed
-- column: nested_calls count calls left out of the row, because a call of an outer layer is the same work
-- column: unfinished_calls count calls left out of the row, because their thread or the recording ended before they returned
-- loss: either avg_ns, med_ns, stddev_ns, p95_ns, p99_ns, unfinished_calls
-- loss: lower wall_pct
-- loss: upper min_ns
-- order: total_ns DESC, name, layer
--
-- The columns of 'nsys stats -r osrt_sum', and some more. No call is counted in two layers: a vfs_read inside a
-- read that was traced too is in nested_calls only, and an operation that occurs in no other way has no time.
-- Waiting in poll or on a futex is not I/O: see kind. As in the tables of strace -c, a call that does not return (exit_group, or
-- what a killed thread was in) is no call of the row. The side that a copying call writes to is no call of its own.
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
    -- Exact percentiles without sorting all calls: count them per operation and bucket of durations (8 per power of
    -- two), then sort only those in the buckets that the percentiles fall into.
    -- Bits of k, from the top: op_id, bucket + 2 (16); 1: nested, 0: of unknown duration.
    hist AS MATERIALIZED (
        SELECT
            (c.op_id << 16) | CASE WHEN c.nested THEN 1 WHEN c.dur_ns IS NULL THEN 0 ELSE CAST(log2(c.dur_ns + 1) * 8 AS INTEGER) + 2 END AS k,
            count(*) AS n,
            sum(c.ret < 0) AS errors,
            sum(c.unfinished) AS unfinished,
            sum(c.dur_ns) AS total_ns,
            min(c.dur_ns) AS min_ns,
            max(c.dur_ns) AS max_ns,
            sum(1.0 * c.dur_ns * c.dur_ns) AS squares
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
        GROUP BY k
    ),
    total AS MATERIALIZED (
        SELECT
            k >> 16 AS op_id,
            coalesce(sum(n - unfinished) FILTER (WHERE (k & 65535) <> 1), 0) AS calls,
            coalesce(sum(unfinished) FILTER (WHERE (k & 65535) <> 1), 0) AS unfinished,
            coalesce(sum(n) FILTER (WHERE (k & 65535) > 1), 0) AS timed,
            coalesce(sum(n) FILTER (WHERE (k & 65535) = 1), 0) AS nested_calls,
            coalesce(sum(errors) FILTER (WHERE (k & 65535) <> 1), 0) AS errors,
            sum(total_ns) FILTER (WHERE (k & 65535) > 1) AS total_ns,
            min(min_ns) FILTER (WHERE (k & 65535) > 1) AS min_ns,
            max(max_ns) FILTER (WHERE (k & 65535) > 1) AS max_ns,
            sum(squares) FILTER (WHERE (k & 65535) > 1) AS squares
        FROM hist
        GROUP BY k >> 16
    ),
    bucket AS (
        SELECT k, n, sum(n) OVER (PARTITION BY k >> 16 ORDER BY k) - n AS below FROM hist WHERE (k & 65535) > 1
    ),
    wanted AS MATERIALIZED (
        SELECT b.k, b.below
        FROM bucket AS b
        CROSS JOIN total AS t ON t.op_id = b.k >> 16
        WHERE ((t.timed + 1) / 2 - b.below BETWEEN 1 AND b.n)
            + (t.timed / 2 + 1 - b.below BETWEEN 1 AND b.n)
            + ((95 * t.timed + 99) / 100 - b.below BETWEEN 1 AND b.n)
            + ((99 * t.timed + 99) / 100 - b.below BETWEEN 1 AND b.n) > 0
    ),
    ranked AS MATERIALIZED (
        SELECT c.op_id, c.dur_ns, w.below + row_number() OVER (PARTITION BY w.k ORDER BY c.dur_ns) AS rank
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        CROSS JOIN wanted AS w ON w.k = (c.op_id << 16) | (CAST(log2(c.dur_ns + 1) * 8 AS INTEGER) + 2)
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0
    ),
    percentile AS (
        SELECT
            t.op_id,
            avg(r.dur_ns) FILTER (WHERE r.rank IN ((t.timed + 1) / 2, t.timed / 2 + 1)) AS p50_ns,
            max(r.dur_ns) FILTER (WHERE r.rank = (95 * t.timed + 99) / 100) AS p95_ns,
            max(r.dur_ns) FILTER (WHERE r.rank = (99 * t.timed + 99) / 100) AS p99_ns
        FROM ranked AS r
        JOIN total AS t ON t.op_id = r.op_id
        GROUP BY t.op_id
    ),
    stat AS (
        SELECT op_id, calls - unfinished AS calls, errors, timed, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, stddev_ns, nested_calls, unfinished
        FROM op_stat
        WHERE NOT (SELECT raw FROM mode)
            AND process_id IS (SELECT id FROM who)
            AND ((SELECT everyone FROM mode) OR process_id IS NOT NULL)
        UNION ALL
        -- op_stat need not have a row for operations of a process that are all nested
        SELECT op_id, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, calls, 0
        FROM nested_stat AS n
        WHERE NOT (SELECT raw FROM mode)
            AND process_id IS (SELECT id FROM who)
            AND ((SELECT everyone FROM mode) OR process_id IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM op_stat AS s WHERE s.process_id IS n.process_id AND s.op_id = n.op_id)
        UNION ALL
        SELECT
            t.op_id, calls, errors, timed, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns,
            CASE WHEN timed > 1 THEN sqrt(max(0, squares - 1.0 * total_ns * total_ns / timed) / (timed - 1)) WHEN timed THEN 0.0 END,
            nested_calls,
            unfinished
        FROM total AS t
        LEFT JOIN percentile AS p ON p.op_id = t.op_id
    ),
    wall AS MATERIALIZED (
        SELECT sum(min(p.end_ns, r.end_ns) - max(p.start_ns, r.start_ns)) AS ns
        FROM run AS r
        JOIN period AS p ON p.start_ns < r.end_ns AND p.end_ns > r.start_ns
        WHERE p.start_ns < p.end_ns
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
    100.0 * s.total_ns / (SELECT ns FROM wall) AS wall_pct,
    o.kind,
    o.layer,
    s.errors,
    s.nested_calls,
    s.unfinished AS unfinished_calls
FROM stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.layer <> 'cuda' AND o.name NOT LIKE '%:out'
ORDER BY total_ns DESC, name, layer
LIMIT coalesce(:limit, -1);
