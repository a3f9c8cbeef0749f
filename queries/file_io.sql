-- title: File I/O by file
-- group: files
-- needs: file_stat
-- shell: stat_omitted
-- param: by file|template|directory|process|class file -- what a row is
-- param: what files|all files -- all: what is waited on, too: pipes, sockets, eventfds, terminals
-- filters: time, process, limit
-- columns: file, class, path_basis, opens, reads, writes, errors, read_bytes, write_bytes, total_ns, time_pct, bytes_pct
-- columns: read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns, read_p50_bytes, sequential_pct
-- column: file TEXT path, or the name where no path is known; or the template, directory, process or class; NULL if unknown
-- column: class TEXT class of the file, or of all files of the row; NULL if they differ
-- column: path_basis TEXT how the path is known: printed, or matched (the only path with this name that was opened); 'cut' if the tracer cut it
-- column: total_ns dur_ns sum of the durations of all I/O calls: opens, reads, writes, closes, ...
-- column: read_p50_ns dur_ns median duration of a read in ns
-- column: read_p99_ns dur_ns 99th percentile of the durations of reads
-- column: write_p50_ns dur_ns median duration of a write in ns
-- column: write_p99_ns dur_ns 99th percentile of the durations of writes
-- column: read_p50_bytes bytes half of the reads got at least so much; rounded down to a power of two
-- column: sequential_pct percent share of the reads and writes that got bytes and began where the one before ended; NULL if no offset is known
-- loss: either read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns, read_p50_bytes
-- order: total_ns DESC, file, r.key
--
-- Counts I/O calls that no outer layer counts already (see nested in docs/SCHEMA.md). A read of a pipe, a socket, an eventfd or a
-- terminal is waiting for somebody, and what has no name is nearly always one of them: they are left out. By process and
-- directory they cannot be told from files: there only calls that sockets alone have are left out (io_by_process can).
-- Times of calls that run in parallel add up, so total_ns can exceed the length of the run. Cached reads are in here
-- too: block_io has what went to the disk.
-- With a time or phase given, a process's first access to a file in it is sequential only if it is at offset 0.
WITH
    named AS NOT MATERIALIZED (
        SELECT id AS key, coalesce(nullif(path, ''), nullif(name, ''), '(no name)') AS name, class,
            CASE truncated WHEN 0 THEN path_basis ELSE coalesce(path_basis || ', cut', 'cut') END AS path_basis
        FROM file
        WHERE coalesce(:by, 'file') = 'file'
        UNION ALL
        SELECT s.id, coalesce(nullif(s.text, ''), '(no name)'), CASE WHEN min(f.class) = max(f.class) THEN f.class END, NULL
        FROM file AS f
        JOIN string AS s ON s.id = CASE :by WHEN 'template' THEN f.template_id ELSE f.directory_id END
        WHERE :by IN ('template', 'directory')
        GROUP BY s.id
        UNION ALL
        SELECT id, coalesce(name, '?') || ' (' || pid || coalesce(' on ' || host, '') || ')', NULL, NULL FROM process WHERE :by = 'process'
    ),
    waiting_class (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('unnamed')),
    waiting (key) AS MATERIALIZED (
        SELECT class FROM waiting_class
        UNION ALL
        SELECT key
        FROM named
        WHERE class IN waiting_class
            -- terminals; of a bare name only the number is known
            OR (class = 'device' AND (name GLOB '/dev/pts/*' OR name GLOB '/dev/tty*' OR name = '{}' OR name NOT GLOB '*[^0-9]*'))
    ),
    -- With limit: percentiles and the like of very many files take time, so they are asked of those only that are shown. Where the file does not
    -- hold verbs apart, and none of them is a socket's, they need not be told apart for that; the stock shell has no such rows.
    scanned AS MATERIALIZED (
        SELECT file_id, total_ns
        FROM io_stat
        WHERE :limit > 0 AND coalesce(:by, 'file') = 'file'
            AND by = CASE
                WHEN (:what = 'all' OR NOT EXISTS (SELECT 1 FROM op WHERE verb = 'socket'))
                    AND (coalesce(:start_ns, :end_ns, :phase) IS NOT NULL OR EXISTS (SELECT 1 FROM stat_omitted WHERE relation = 'io_stat' AND by = 'file,verb')) THEN 'file'
            END
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            AND (:what = 'all' OR file_id IS NULL OR file_id NOT IN waiting)
        ORDER BY total_ns DESC
        LIMIT coalesce(:limit, 0) + 1
    ),
    -- the last one is not shown, but tells whether others tie with it
    top AS MATERIALIZED (
        SELECT file_id
        FROM scanned
        WHERE total_ns > (SELECT total_ns FROM scanned ORDER BY total_ns DESC LIMIT 1 OFFSET :limit)
            AND (SELECT total_ns FROM scanned ORDER BY total_ns DESC LIMIT 1 OFFSET :limit - 1) > (SELECT total_ns FROM scanned ORDER BY total_ns DESC LIMIT 1 OFFSET :limit)
    ),
    ranked AS MATERIALIZED (
        SELECT file_id, sum(total_ns) AS total_ns, coalesce(sum(done_bytes) FILTER (WHERE verb IN ('read', 'write')), 0) AS bytes
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM top))
        CROSS JOIN io_stat
        WHERE :limit > 0 AND coalesce(:by, 'file') = 'file' AND by = 'file,verb'
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            AND (verb <> 'socket' OR :what = 'all')
        GROUP BY file_id
        HAVING :what = 'all' OR file_id IS NULL OR file_id NOT IN waiting
    ),
    shown AS MATERIALIZED (
        SELECT file_id FROM top
        UNION ALL
        -- and what ties with the last of them
        SELECT file_id
        FROM ranked
        WHERE coalesce(total_ns, -1) >= coalesce((SELECT total_ns FROM ranked ORDER BY total_ns DESC LIMIT 1 OFFSET :limit - 1), -1)
    ),
    row AS MATERIALIZED (
        SELECT
            key,
            coalesce(sum(calls) FILTER (WHERE verb = 'open'), 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 'read'), 0) AS reads,
            coalesce(sum(calls) FILTER (WHERE verb = 'write'), 0) AS writes,
            sum(errors) AS errors,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            coalesce(sum(done_bytes) FILTER (WHERE verb IN ('read', 'write')), 0) AS bytes,
            sum(total_ns) AS total_ns,
            max(p50_ns) FILTER (WHERE verb = 'read') AS read_p50_ns,
            max(p99_ns) FILTER (WHERE verb = 'read') AS read_p99_ns,
            max(p50_ns) FILTER (WHERE verb = 'write') AS write_p50_ns,
            max(p99_ns) FILTER (WHERE verb = 'write') AS write_p99_ns,
            max(p50_bytes_low) FILTER (WHERE verb = 'read') AS read_p50_bytes,
            100.0 * sum(sequential) FILTER (WHERE verb IN ('read', 'write'))
                / nullif(sum(sequential + random) FILTER (WHERE verb IN ('read', 'write')), 0) AS sequential_pct
        FROM (
            SELECT file_id AS key, verb, calls, errors, done_bytes, total_ns, p50_ns, p99_ns, p50_bytes_low, sequential, random
            FROM io_stat
            WHERE :limit > 0 AND coalesce(:by, 'file') = 'file' AND by = 'file,verb' AND file_id IN shown
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            UNION ALL
            -- what has no file has no class
            SELECT NULL, verb, calls, errors, done_bytes, total_ns, p50_ns, p99_ns, p50_bytes_low, sequential, random
            FROM io_stat
            WHERE by = CASE WHEN EXISTS (SELECT 1 FROM shown WHERE file_id IS NULL) THEN 'class,verb' END AND class IS NULL
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            UNION ALL
            SELECT coalesce(file_id, template_id, directory_id, class, process_id), verb, calls, errors, done_bytes, total_ns, p50_ns, p99_ns, p50_bytes_low, sequential, random
            FROM io_stat
            WHERE NOT (coalesce(:limit, 0) > 0 AND coalesce(:by, 'file') = 'file') AND by = coalesce(:by, 'file') || ',verb'
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        )
        WHERE verb <> 'socket' OR :what = 'all'
        GROUP BY key
        HAVING :what = 'all' OR key IS NULL OR key NOT IN waiting
    ),
    label AS MATERIALIZED (
        SELECT key, name, class FROM named WHERE coalesce(:by, 'file') <> 'file'
        UNION ALL
        SELECT key, key, key FROM row WHERE :by = 'class'
    ),
    -- of all that are not hidden: of classes, less the terminals among devices
    part AS (
        SELECT total_ns, CASE WHEN verb IN ('read', 'write') THEN done_bytes END AS bytes
        FROM io_stat
        WHERE by = CASE WHEN EXISTS (SELECT 1 FROM top) THEN 'class,verb' END AND (:what = 'all' OR class IS NULL OR class NOT IN waiting_class)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        UNION ALL
        SELECT -total_ns, CASE WHEN verb IN ('read', 'write') THEN -done_bytes END
        FROM io_stat
        WHERE by = CASE WHEN coalesce(:what, 'files') = 'files' AND EXISTS (SELECT 1 FROM top) THEN 'file,verb' END
            AND file_id IN (SELECT id FROM file WHERE class = 'device' AND id IN waiting)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    whole AS MATERIALIZED (
        SELECT sum(total_ns) AS total_ns, sum(bytes) AS bytes FROM ranked HAVING count(*) > 0
        UNION ALL
        SELECT sum(total_ns), sum(bytes) FROM part HAVING count(*) > 0
        UNION ALL
        SELECT sum(total_ns), sum(bytes) FROM row WHERE NOT EXISTS (SELECT 1 FROM shown)
    )
SELECT
    CASE WHEN f.id IS NULL THEN l.name ELSE coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)') END AS file,
    coalesce(f.class, l.class) AS class,
    CASE f.truncated WHEN 0 THEN f.path_basis WHEN 1 THEN coalesce(f.path_basis || ', cut', 'cut') END AS path_basis,
    r.opens,
    r.reads,
    r.writes,
    r.errors,
    r.read_bytes,
    r.write_bytes,
    r.total_ns,
    100.0 * r.total_ns / (SELECT total_ns FROM whole) AS time_pct,
    100.0 * r.bytes / nullif((SELECT bytes FROM whole), 0) AS bytes_pct,
    r.read_p50_ns,
    r.read_p99_ns,
    r.write_p50_ns,
    r.write_p99_ns,
    r.read_p50_bytes,
    r.sequential_pct
FROM row AS r
LEFT JOIN file AS f ON f.id = CASE coalesce(:by, 'file') WHEN 'file' THEN r.key END
LEFT JOIN label AS l ON l.key = r.key
ORDER BY total_ns DESC, file, r.key
LIMIT coalesce(:limit, -1);
