-- title: Processes
-- group: processes
-- needs: process
-- filters: time, process, limit
-- param: start_ns ts_ns NULL -- only calls that start at this time or later, and no process that had ended
-- param: end_ns ts_ns NULL -- only calls that start before this time, and no process that started later
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3', and only processes that were alive in it
-- columns: pid, name, role, command_line, parent_pid, start_ns, life_ns, exit_status, threads, calls, read_bytes, write_bytes
-- columns: io_ns, wait_ns, cpu_ns, max_rss_bytes
-- column: name TEXT command name, and its machine where there are several
-- column: start_ns ts_ns start; NULL where no source tells it
-- column: life_ns dur_ns from start to exit
-- column: threads count threads that are known
-- column: wait_ns dur_ns time in calls that wait for others: poll, sleep, wait, futex
-- keep: pid, command_line, read_bytes
-- uses: call
-- shell: stat_omitted, file_stat
-- loss: none life_ns, threads, cpu_ns, max_rss_bytes
-- order: s.io_ns DESC, calls DESC, p.pid, p.id
--
-- Those with most I/O first. Life, threads, CPU time and memory are those of all of its life, whatever time is asked for. Reading a pipe, a socket, an eventfd or what has no name is waiting for somebody, and no I/O. process_tree has who started whom. No layer of calls is counted twice.
WITH
    -- what is no I/O; where no such call was traced, nothing has to be looked at
    c AS MATERIALIZED (
        SELECT s.process_id, sum(s.calls) AS calls, sum(s.total_ns) FILTER (WHERE o.kind IN ('wait', 'lock')) AS wait_ns
        FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM op WHERE layer <> 'cuda' AND kind <> 'io'))
        CROSS JOIN call_stat AS s
        JOIN op AS o ON o.id = s.op_id
        WHERE s.by = 'process,op' AND s.op_id IN (SELECT id FROM op WHERE layer <> 'cuda' AND kind <> 'io')
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase
        GROUP BY s.process_id
    ),
    -- of many files the view looks at all calls for what is not asked here; a LIMIT of 0 comes before it does
    held AS MATERIALIZED (
        SELECT EXISTS (SELECT 1 FROM stat_omitted WHERE relation = 'io_stat' AND by = 'class,process,verb' AND rows_held = 1)
            AND coalesce(:start_ns, :end_ns, :phase) IS NULL AS is_all
    ),
    part AS (
        SELECT s.process_id, c.text AS class, s.verb, s.calls, s.done_bytes, s.total_ns
        FROM file_stat AS s
        LEFT JOIN string AS c ON c.id = s.key_id
        WHERE s.by = 'class,process,verb' AND (SELECT is_all FROM held)
        UNION ALL
        SELECT * FROM (
            SELECT process_id, class, verb, calls, done_bytes, total_ns
            FROM io_stat
            WHERE by = 'class,process,verb' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
            LIMIT CASE WHEN (SELECT is_all FROM held) THEN 0 ELSE -1 END
        )
    ),
    s AS MATERIALIZED (
        SELECT
            process_id, sum(calls) AS calls,
            sum(done_bytes) FILTER (WHERE of_file AND verb = 'read') AS read_bytes,
            sum(done_bytes) FILTER (WHERE of_file AND verb = 'write') AS write_bytes,
            sum(total_ns) FILTER (WHERE of_file) AS io_ns
        FROM (SELECT *, verb <> 'socket' AND coalesce(class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed') AS of_file FROM part)
        GROUP BY process_id
    ),
    t AS MATERIALIZED (SELECT process_id, count(*) AS threads FROM thread GROUP BY process_id)
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS name,
    p.role, p.command_line, p.parent_pid, p.start_ns,
    p.end_ns - p.start_ns AS life_ns,
    p.exit_status, t.threads, coalesce(c.calls + s.calls, c.calls, s.calls) AS calls, s.read_bytes, s.write_bytes, s.io_ns, c.wait_ns,
    p.user_ns + p.system_ns AS cpu_ns, p.max_rss_bytes
FROM process AS p
LEFT JOIN c ON c.process_id = p.id
LEFT JOIN s ON s.process_id = p.id
LEFT JOIN t ON t.process_id = p.id
WHERE (:pid IS NULL OR p.pid = :pid) AND (:process IS NULL OR p.name = :process OR p.role = :process)
    AND (:start_ns IS NULL OR p.end_ns IS NULL OR p.end_ns > :start_ns) AND (:end_ns IS NULL OR p.start_ns IS NULL OR p.start_ns < :end_ns)
    AND (:phase IS NULL OR EXISTS (
        SELECT 1 FROM phase_interval AS i
        WHERE i.label = :phase COLLATE NOCASE AND (p.start_ns IS NULL OR p.start_ns < i.end_ns) AND (p.end_ns IS NULL OR p.end_ns > i.start_ns)))
ORDER BY s.io_ns DESC, calls DESC, p.pid, p.id
LIMIT coalesce(:limit, -1);
