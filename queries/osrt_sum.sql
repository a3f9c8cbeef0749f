-- title: OS runtime summary
-- group: time
-- needs: call
-- filters: time, process, limit
-- columns: time_pct, total_ns, calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns, name, p95_ns, p99_ns, wall_pct, kind, layer
-- columns: errors, nested_calls, unfinished_calls
-- column: calls count calls that returned, those of unknown duration included
-- column: name TEXT operation
-- column: wall_pct percent total_ns as a share of the length of the run, or of the times asked for; over 100 if calls run in parallel
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
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    wall AS MATERIALIZED (
        SELECT sum(min(p.end_ns, r.end_ns) - max(p.start_ns, r.start_ns)) AS ns
        FROM run AS r
        JOIN period AS p ON p.start_ns < r.end_ns AND p.end_ns > r.start_ns
        WHERE p.start_ns < p.end_ns
    ),
    stat AS MATERIALIZED (
        SELECT op_id, calls, errors, timed, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, stddev_ns, nested_calls, unfinished
        FROM call_stat
        WHERE by = 'op' AND op_id IN (SELECT id FROM op WHERE layer <> 'cuda') AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    both AS (
        SELECT * FROM stat
        UNION ALL
        -- operations that are all nested have no row of their own
        SELECT op_id, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, calls, 0
        FROM call_stat
        WHERE by = 'op,nested' AND nested = 1 AND op_id IN (SELECT id FROM op WHERE layer <> 'cuda' EXCEPT SELECT op_id FROM stat)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    )
SELECT
    100.0 * s.total_ns / sum(s.total_ns) OVER () AS time_pct,
    s.total_ns,
    s.calls - s.unfinished AS calls,
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
FROM both AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.layer <> 'cuda' AND o.name NOT LIKE '%:out'
ORDER BY total_ns DESC, name, layer
LIMIT coalesce(:limit, -1);
