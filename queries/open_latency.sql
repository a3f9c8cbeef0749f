-- title: Latency of opens: system call beside VFS
-- needs: call
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: name TEXT operation: openat, vfs_open, ...
-- column: layer TEXT where it was observed: libc, syscall or vfs
-- column: inside INTEGER 1: inside a call of an outer layer that was traced too; 0: on its own
-- column: calls count opens
-- column: errors count opens that failed; vfs_open is not reached by most that fail
-- column: total_ns dur_ns sum of the durations
-- column: p50_ns dur_ns median in ns; mean of the middle two of an even number
-- column: p95_ns dur_ns 95th percentile, nearest rank
-- column: p99_ns dur_ns 99th percentile, nearest rank
-- column: max_ns dur_ns longest
-- column: outer_pct percent for opens inside others: their time as a share of that of the outermost system and library calls
-- loss: either p50_ns, p95_ns, p99_ns
-- order: layer, inside, total_ns DESC, name
--
-- openat resolves the path, then vfs_open opens the file itself. A large share of vfs_open points to the file system or the
-- device driver, a small one to path lookup (cold directories, long paths, many misses along a search path).
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- raw: read the calls. Else op_stat and nested_stat answer; but they cannot for several processes.
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
    ranked AS MATERIALIZED (
        SELECT
            c.op_id, c.nested, c.ret, c.dur_ns,
            row_number() OVER w - sum(c.dur_ns IS NULL) OVER w AS rank,
            count(c.dur_ns) OVER w AS timed
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND c.op_id IN (SELECT id FROM op WHERE verb = 'open' AND kind = 'io')
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
        WINDOW w AS (PARTITION BY c.op_id, c.nested ORDER BY c.dur_ns ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ),
    stat AS MATERIALIZED (
        SELECT op_id, 0 AS inside, calls, errors, total_ns, p50_ns, p95_ns, p99_ns, max_ns
        FROM op_stat
        WHERE NOT (SELECT raw FROM mode)
            AND calls > 0
            AND process_id IS (SELECT id FROM who)
            AND ((SELECT everyone FROM mode) OR process_id IS NOT NULL)
        UNION ALL
        SELECT op_id, 1, calls, errors, total_ns, p50_ns, p95_ns, p99_ns, max_ns
        FROM nested_stat
        WHERE NOT (SELECT raw FROM mode)
            AND process_id IS (SELECT id FROM who)
            AND ((SELECT everyone FROM mode) OR process_id IS NOT NULL)
        UNION ALL
        SELECT
            op_id, nested, count(*), coalesce(sum(ret < 0), 0), sum(dur_ns),
            avg(dur_ns) FILTER (WHERE rank IN ((timed + 1) / 2, timed / 2 + 1)),
            max(dur_ns) FILTER (WHERE rank = (95 * timed + 99) / 100),
            max(dur_ns) FILTER (WHERE rank = (99 * timed + 99) / 100),
            max(dur_ns)
        FROM ranked
        GROUP BY op_id, nested
    )
SELECT
    o.name,
    o.layer,
    s.inside,
    s.calls,
    s.errors,
    s.total_ns,
    s.p50_ns,
    s.p95_ns,
    s.p99_ns,
    s.max_ns,
    CASE s.inside
        WHEN 1 THEN 100.0 * s.total_ns / nullif(sum(s.total_ns) FILTER (WHERE s.inside = 0 AND o.layer <> 'vfs') OVER (), 0)
    END AS outer_pct
FROM stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.verb = 'open' AND o.kind = 'io'
ORDER BY layer, inside, total_ns DESC, name
LIMIT coalesce(:limit, -1);
