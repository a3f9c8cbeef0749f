-- title: Processes, by who started whom
-- group: processes
-- needs: process
-- filters: process, limit
-- param: pid INTEGER NULL -- only the process with this id, and what it started
-- param: process TEXT NULL -- only processes of this name or role, and what they started
-- columns: tree, pid, parent_pid, role, start_ns, dur_ns, exit_status, cpu_ns, max_rss_bytes, read_bytes, write_bytes, command_line
-- column: tree TEXT command name, and its machine where there are several, two spaces further right than that of its parent
-- column: start_ns ts_ns its start, where a source tells it
-- column: dur_ns dur_ns from there to its exit; NULL: it was not seen to end
-- keep: pid, command_line
-- uses: file_stat
-- loss: none dur_ns, max_rss_bytes
-- shell: stat_omitted, file_stat
-- order: n.path, n.id
--
-- A process is below the one that had the id of its parent when it started; it stands by itself where that is not known. Of what a
-- parent started comes first what started first. Nothing is further right than 40 levels. Calls that an outer layer counts are left out, and
-- so is what is read of pipes, sockets, eventfds and what has no name, as in processes.
WITH RECURSIVE
    parent AS MATERIALIZED (
        -- the last one that had the number; it started before its child, so that nobody is an ancestor of his own
        SELECT id, parent_id
        FROM (
            SELECT c.id, p.id AS parent_id, row_number() OVER (PARTITION BY c.id ORDER BY p.start_ns DESC, p.lifetime DESC, p.id DESC) AS rank
            FROM process AS c
            JOIN process AS p ON p.pid = c.parent_pid AND p.host IS c.host
            WHERE (coalesce(p.start_ns, -9223372036854775807), p.id) < (coalesce(c.start_ns, -9223372036854775807), c.id)
        )
        WHERE rank = 1
    ),
    node AS (
        SELECT c.id, 0 AS depth, printf('%020d %010d', coalesce(c.start_ns, 0), c.id) AS path
        FROM process AS c
        LEFT JOIN parent AS p ON p.id = c.id
        WHERE CASE WHEN :pid IS NULL AND :process IS NULL THEN p.parent_id IS NULL
            ELSE (:pid IS NULL OR c.pid = :pid) AND (:process IS NULL OR c.name = :process OR c.role = :process) END
        UNION ALL
        SELECT c.id, min(n.depth + 1, 40), CASE WHEN n.depth < 40 THEN n.path || printf(' %020d %010d', coalesce(c.start_ns, 0), c.id) ELSE n.path END
        FROM node AS n
        CROSS JOIN parent AS p ON p.parent_id = n.id
        JOIN process AS c ON c.id = p.id
    ),
    -- who is asked for and below another one that is: once, where he is deepest
    placed AS MATERIALIZED (
        SELECT id, depth, path
        FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY depth DESC, path) AS rank FROM node)
        WHERE rank = 1
    ),
    -- as in processes
    held AS MATERIALIZED (
        SELECT EXISTS (SELECT 1 FROM stat_omitted WHERE relation = 'io_stat' AND by = 'class,process,verb' AND rows_held = 1) AS is_all
    ),
    part AS (
        SELECT s.process_id, c.text AS class, s.verb, s.done_bytes
        FROM file_stat AS s
        LEFT JOIN string AS c ON c.id = s.key_id
        WHERE s.by = 'class,process,verb' AND (SELECT is_all FROM held)
        UNION ALL
        SELECT * FROM (
            SELECT process_id, class, verb, done_bytes
            FROM io_stat
            WHERE by = 'class,process,verb'
            LIMIT CASE WHEN (SELECT is_all FROM held) THEN 0 ELSE -1 END
        )
    ),
    io AS MATERIALIZED (
        SELECT process_id, sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes, sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes
        FROM part
        WHERE coalesce(class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
        GROUP BY process_id
    )
SELECT
    printf('%*s', 2 * n.depth, '') || coalesce(c.name || ' on ' || c.host, c.name, '? on ' || c.host, '?') AS tree,
    c.pid, c.parent_pid, c.role, c.start_ns,
    c.end_ns - c.start_ns AS dur_ns,
    c.exit_status,
    c.user_ns + c.system_ns AS cpu_ns,
    c.max_rss_bytes, io.read_bytes, io.write_bytes, c.command_line
FROM placed AS n
JOIN process AS c ON c.id = n.id
LEFT JOIN io ON io.process_id = n.id
ORDER BY n.path, n.id
LIMIT coalesce(:limit, -1);
