-- title: I/O by process
-- group: files
-- needs: file_stat
-- param: what files|all files -- all: what is waited on, too: pipes, sockets, eventfds, what has no name
-- filters: time, process, limit
-- columns: pid, process, role, opens, reads, writes, errors, read_bytes, write_bytes, total_ns, time_pct, bytes_pct, busiest_file
-- columns: first_ns, last_ns
-- column: total_ns dur_ns sum of the durations of all I/O calls: opens, reads, writes, closes, ...
-- column: busiest_file TEXT the file that most of the time went to
-- keep: pid, read_bytes, write_bytes, total_ns, busiest_file
-- none: no calls on files were traced: --param what=all has pipes, sockets and terminals, too
-- order: total_ns DESC, pid, first_ns, process
--
-- Counts I/O calls (op.kind 'io') that no outer layer counts already, but for those on pipes, sockets, eventfds, terminals and what has
-- no name (unless what is 'all'): they are waiting for somebody. A process id that was used twice has two rows.
-- Row without pid: calls of unknown processes.
WITH
    waiting (class) AS (
        SELECT column1 FROM (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'), ('unnamed'))
        WHERE coalesce(:what, 'files') = 'files'
    ),
    part AS (
        SELECT process_id, verb, calls, errors, done_bytes, total_ns, first_ns, last_ns
        FROM io_stat
        WHERE by = 'class,process,verb' AND (verb <> 'socket' OR :what = 'all') AND coalesce(class, '') NOT IN (SELECT class FROM waiting)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    busiest AS (
        SELECT process_id, busiest_file_id, row_number() OVER (PARTITION BY process_id ORDER BY busiest_ns DESC, busiest_file_id) AS rank
        FROM io_stat
        WHERE by = 'class,process' AND busiest_file_id IS NOT NULL AND class NOT IN (SELECT class FROM waiting)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    row AS MATERIALIZED (
        -- with its busiest file by grouping: joined, SQLite would walk all of these for each process
        SELECT
            process_id,
            coalesce(sum(calls) FILTER (WHERE verb = 'open'), 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 'read'), 0) AS reads,
            coalesce(sum(calls) FILTER (WHERE verb = 'write'), 0) AS writes,
            sum(errors) AS errors,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            sum(total_ns) AS total_ns,
            min(first_ns) AS first_ns,
            max(last_ns) AS last_ns,
            max(busiest_id) AS busiest_id
        FROM (
            SELECT process_id, verb, calls, errors, done_bytes, total_ns, first_ns, last_ns, NULL AS busiest_id FROM part
            UNION ALL
            SELECT process_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, busiest_file_id FROM busiest WHERE rank = 1
        )
        GROUP BY process_id
        HAVING count(verb) > 0
    )
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    r.opens,
    r.reads,
    r.writes,
    r.errors,
    r.read_bytes,
    r.write_bytes,
    r.total_ns,
    100.0 * r.total_ns / sum(r.total_ns) OVER () AS time_pct,
    100.0 * (coalesce(r.read_bytes, 0) + coalesce(r.write_bytes, 0))
        / nullif(sum(coalesce(r.read_bytes, 0) + coalesce(r.write_bytes, 0)) OVER (), 0) AS bytes_pct,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS busiest_file,
    r.first_ns,
    r.last_ns
FROM row AS r
LEFT JOIN process AS p ON p.id = r.process_id
LEFT JOIN file AS f ON f.id = r.busiest_id
ORDER BY total_ns DESC, pid, first_ns, process
LIMIT coalesce(:limit, -1);
