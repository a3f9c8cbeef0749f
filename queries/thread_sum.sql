-- title: Threads: where the time of each went, and whom it started
-- group: processes
-- needs: call
-- filters: time, process, limit 30
-- columns: pid, tid, process, thread, calls, total_ns, io_ns, wait_ns, lock_ns, memory_ns, other_ns, between_ns, cpu_ns, switches
-- columns: started, programs, errors, first_ns, last_ns
-- column: tid INTEGER thread id; NULL: calls of which the thread is not known
-- column: thread TEXT name of the thread
-- column: io_ns dur_ns of that: in I/O on files
-- column: wait_ns dur_ns waiting for events, children, pipes, sockets and what has no name, or asleep
-- column: lock_ns dur_ns waiting for locks
-- column: memory_ns dur_ns mapping and unmapping memory
-- column: other_ns dur_ns in other calls
-- column: between_ns dur_ns time from the begin of its first call to that of its last that was in none: computing, or waiting for a CPU
-- column: cpu_ns dur_ns CPU time, where a recording tells; of the whole run, so NULL for a part of it
-- column: started count processes and threads that it started (clone, fork)
-- column: programs count programs that it turned into (execve)
-- loss: either between_ns
-- order: total_ns DESC, pid, tid, s.process_id, s.thread_id
--
-- Calls that an outer layer counts are left out. Not all that a thread does is a call that was traced: between_ns of a trace of reads only has
-- its waits, too. A clone that the child returns from as well counts once for each.
WITH
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    -- the CPU time of a part is not known
    whole AS MATERIALIZED (
        SELECT EXISTS (SELECT 1 FROM period AS p, run AS r WHERE p.start_ns <= coalesce(r.start_ns, p.start_ns) AND p.end_ns >= coalesce(r.end_ns, p.end_ns)) AS is_asked
    ),
    kind AS MATERIALIZED (
        SELECT
            id,
            CASE WHEN kind = 'io' AND verb = 'socket' THEN 'wait' WHEN kind IN ('io', 'wait', 'lock', 'memory') THEN kind ELSE 'other' END AS kind,
            name IN ('clone', 'clone3', 'fork', 'vfork', 'pthread_create') AS starts,
            name IN ('execve', 'execveat') AS becomes
        FROM op
        WHERE layer <> 'cuda' AND name NOT LIKE '%:out'
    ),
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'), ('unnamed')),
    -- of each thread, operation and class of file: of the scan, or as the file holds them; where it does not, the stock shell has no such rows, and no filters
    scanned AS MATERIALIZED (
        SELECT process_id, thread_id, op_id, class, calls, total_ns, errors, first_ns, last_ns
        FROM call_stat
        WHERE by = 'class,process,thread,op' AND op_id IN (SELECT id FROM kind)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    part AS (
        SELECT process_id, thread_id, op_id, class IN (SELECT class FROM waiting) AS waits, calls, total_ns, errors, first_ns, last_ns FROM scanned
        UNION ALL
        SELECT
            c.process_id, c.thread_id, c.op_id, f.class IN (SELECT class FROM waiting),
            count(*), sum(c.dur_ns), count(*) FILTER (WHERE c.ret < 0), min(c.start_ns), max(c.start_ns)
        FROM (SELECT 1 WHERE coalesce(:start_ns, :end_ns, :phase, :pid, :process) IS NULL AND NOT EXISTS (SELECT 1 FROM scanned) AND EXISTS (SELECT 1 FROM kind))
        CROSS JOIN call AS c
        LEFT JOIN file AS f ON f.id = c.file_id
        WHERE c.nested = 0
        GROUP BY 1, 2, 3, 4
    ),
    s AS MATERIALIZED (
        SELECT
            c.process_id, c.thread_id,
            sum(c.calls) AS calls,
            sum(c.total_ns) AS total_ns,
            sum(c.total_ns) FILTER (WHERE k.kind = 'io' AND NOT coalesce(c.waits, 0)) AS io_ns,
            sum(c.total_ns) FILTER (WHERE k.kind = 'wait' OR (k.kind = 'io' AND c.waits)) AS wait_ns,
            sum(c.total_ns) FILTER (WHERE k.kind = 'lock') AS lock_ns,
            sum(c.total_ns) FILTER (WHERE k.kind = 'memory') AS memory_ns,
            sum(c.total_ns) FILTER (WHERE k.kind = 'other') AS other_ns,
            coalesce(sum(c.calls - c.errors) FILTER (WHERE k.starts), 0) AS started,
            coalesce(sum(c.calls - c.errors) FILTER (WHERE k.becomes), 0) AS programs,
            sum(c.errors) AS errors,
            min(c.first_ns) AS first_ns,
            max(c.last_ns) AS last_ns
        FROM part AS c
        JOIN kind AS k ON k.id = c.op_id
        GROUP BY c.process_id, c.thread_id
    )
SELECT
    p.pid,
    t.tid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    t.name AS thread,
    s.calls,
    s.total_ns,
    s.io_ns,
    s.wait_ns,
    s.lock_ns,
    s.memory_ns,
    s.other_ns,
    CASE WHEN s.thread_id IS NOT NULL THEN max(0, s.last_ns - s.first_ns - s.total_ns) END AS between_ns,
    CASE WHEN (SELECT is_asked FROM whole) THEN t.user_ns + t.system_ns END AS cpu_ns,
    CASE WHEN (SELECT is_asked FROM whole) THEN t.voluntary_switches + t.involuntary_switches END AS switches,
    s.started,
    s.programs,
    s.errors,
    s.first_ns,
    s.last_ns
FROM s
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN thread AS t ON t.id = s.thread_id
ORDER BY total_ns DESC, pid, tid, s.process_id, s.thread_id
LIMIT coalesce(:limit, 30);
