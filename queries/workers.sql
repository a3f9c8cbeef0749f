-- title: Data loaders
-- group: processes
-- needs: file_stat, process
-- param: by process|phase process -- a row for each loader, or for each loader and phase
-- filters: time, process, limit
-- param: role TEXT data-loader -- processes of this role
-- columns: phase, pid, process, opens, reads, read_bytes, bytes_pct, read_ns, read_bytes_per_s, io_ns, max_ns, wait_ns, first_ns
-- columns: last_ns
-- column: phase TEXT phase; NULL unless by phase
-- column: read_bytes bytes bytes that they transferred
-- column: bytes_pct percent share of the bytes of all rows (of one phase)
-- column: read_bytes_per_s bytes_per_s bytes per second of that time
-- column: wait_ns dur_ns time in which it waited for its queues: in polls, locks, pipes and sockets
-- loss: either read_bytes_per_s
-- none: no process reads files as data loaders do without being on a GPU: report processes has the roles, --param role=NAME asks for another one
-- order: r.since_ns, r.phase, r.read_bytes DESC, p.pid, p.id
--
-- Who is a loader is found by what it does: it reads much, and is not on a GPU (role_basis in table process). Loaders that read unequal
-- amounts, or of which one has calls that take long, are waited for where samples are handed out in order. One that waits for its queue has nothing to do: the
-- GPU does not wait for it. What of its waiting is seen depends on what was traced. Calls on terminals are in neither.
WITH
    sums AS (
        SELECT
            process_id, phase,
            coalesce(sum(calls) FILTER (WHERE verb = 'open'), 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 'read'), 0) AS reads,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            sum(total_ns) FILTER (WHERE verb = 'read') AS read_ns,
            sum(total_ns) AS io_ns,
            max(max_ns) AS max_ns,
            min(first_ns) AS first_ns,
            max(last_ns) AS last_ns
        FROM io_stat
        WHERE by = CASE WHEN coalesce(:by, 'process') = 'phase' THEN 'process,verb,waits,phase' ELSE 'process,verb,waits' END
            -- a loader that reads a pipe, a socket or what has no name waits for its next task, one that writes to a terminal for somebody's eyes
            AND waits = 0
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
            AND process_id IN (SELECT id FROM process WHERE role = coalesce(:role, 'data-loader') AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process))
        GROUP BY process_id, phase
    ),
    -- for the next task, or for room where it puts what it has done
    queued AS MATERIALIZED (
        SELECT process_id, phase, sum(ns) AS ns
        FROM (
            SELECT process_id, phase, total_ns AS ns
            FROM call_stat
            WHERE by = CASE WHEN coalesce(:by, 'process') = 'phase' THEN 'process,op,phase' ELSE 'process,op' END
                AND op_id IN (SELECT id FROM op WHERE kind IN ('wait', 'lock') AND layer <> 'cuda')
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
            UNION ALL
            SELECT process_id, phase, total_ns
            FROM io_stat
            WHERE by = CASE WHEN coalesce(:by, 'process') = 'phase' THEN 'class,process,verb,phase' ELSE 'class,process,verb' END
                AND (verb = 'socket' OR class IN ('pipe', 'socket', 'eventfd', 'anon-inode'))
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
        )
        GROUP BY 1, 2
    ),
    row AS MATERIALIZED (
        SELECT *, min(first_ns) OVER (PARTITION BY phase) AS since_ns, sum(read_bytes) OVER (PARTITION BY phase) AS all_bytes FROM sums
    )
SELECT
    r.phase, p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    r.opens, r.reads, r.read_bytes,
    100.0 * r.read_bytes / nullif(r.all_bytes, 0) AS bytes_pct,
    r.read_ns,
    1e9 * r.read_bytes / nullif(r.read_ns, 0) AS read_bytes_per_s,
    r.io_ns, r.max_ns,
    q.ns AS wait_ns,
    r.first_ns, r.last_ns
FROM row AS r
JOIN process AS p ON p.id = r.process_id
LEFT JOIN queued AS q ON q.process_id = r.process_id AND q.phase IS r.phase
ORDER BY r.since_ns, r.phase, r.read_bytes DESC, p.pid, p.id
LIMIT coalesce(:limit, -1);
