-- title: Latency of opens, vfs_open beside openat
-- needs: op_stat
-- param: limit INTEGER NULL -- show only so many rows
-- column: op TEXT operation
-- column: layer TEXT where it was observed: libc, syscall or vfs
-- column: role TEXT outer: as the program saw it; inner: inside an open of an outer layer
-- column: calls count calls
-- column: errors count of these: known to have failed; scripts that print no return value show none
-- column: total_ns dur_ns sum of the durations
-- column: p50_ns dur_ns median duration in ns
-- column: p95_ns dur_ns 95th percentile, nearest rank
-- column: p99_ns dur_ns 99th percentile, nearest rank
-- column: max_ns dur_ns longest
-- column: of_outer_pct percent of the time of the outer opens of the run, spent in this inner one; NULL for outer rows
-- order: role DESC, total_ns DESC, op, layer
--
-- openat includes the walk along the path and the reservation of a descriptor; vfs_open is only the opening of the
-- file that was found, so a failed open has no vfs_open. An outer vfs_open is one that no traced system call
-- contains, as in an execve.
WITH
    opens AS (
        SELECT s.op_id, 'outer' AS role, s.calls, s.errors, s.timed, s.total_ns, s.p50_ns, s.p95_ns, s.p99_ns, s.max_ns
        FROM op_stat AS s
        WHERE s.process_id IS NULL AND s.calls > 0
        UNION ALL
        SELECT s.op_id, 'inner', s.calls, s.errors, s.timed, s.total_ns, s.p50_ns, s.p95_ns, s.p99_ns, s.max_ns
        FROM nested_stat AS s
        WHERE s.process_id IS NULL AND s.calls > 0
    ),
    outer_time AS (
        SELECT sum(s.total_ns) AS ns
        FROM opens AS s
        JOIN op AS o ON o.id = s.op_id
        WHERE o.verb = 'open' AND o.layer = 'syscall' AND s.role = 'outer'
    )
SELECT
    o.name AS op,
    o.layer,
    s.role,
    s.calls,
    s.errors,
    s.total_ns,
    s.p50_ns,
    s.p95_ns,
    s.p99_ns,
    s.max_ns,
    CASE s.role WHEN 'inner' THEN 100.0 * s.total_ns / (SELECT ns FROM outer_time) END AS of_outer_pct
FROM opens AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.verb = 'open'
ORDER BY role DESC, total_ns DESC, op, layer
LIMIT coalesce(:limit, -1);
