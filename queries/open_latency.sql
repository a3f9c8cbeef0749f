-- title: Latency of opens: system call beside VFS
-- group: files
-- needs: call
-- filters: time, process, limit
-- columns: name, layer, inside, calls, errors, total_ns, p50_ns, p95_ns, p99_ns, max_ns, outer_pct
-- column: name TEXT operation: openat, vfs_open, ...
-- column: inside INTEGER 1: inside a call of an outer layer that was traced too; 0: on its own
-- column: calls count opens
-- column: errors count opens that failed; vfs_open is not reached by most that fail
-- column: outer_pct percent for opens inside others: their time as a share of that of the outermost system and library calls
-- loss: either p50_ns, p95_ns, p99_ns
-- none: no calls that open files were traced
-- order: layer, inside, total_ns DESC, name
--
-- openat resolves the path, then vfs_open opens the file itself. A large share of vfs_open points to the file system or the
-- device driver, a small one to path lookup (cold directories, long paths, many misses along a search path).
SELECT
    o.name, o.layer,
    s.nested AS inside,
    s.calls, s.errors, s.total_ns,
    s.p50_ns,
    s.p95_ns,
    s.p99_ns,
    s.max_ns,
    CASE s.nested
        WHEN 1 THEN 100.0 * s.total_ns / nullif(sum(s.total_ns) FILTER (WHERE s.nested = 0 AND o.layer <> 'vfs') OVER (), 0)
    END AS outer_pct
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE s.by = 'op,nested' AND s.op_id IN (SELECT id FROM op WHERE verb = 'open' AND kind = 'io')
    AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
ORDER BY layer, inside, total_ns DESC, name
LIMIT coalesce(:limit, -1);
