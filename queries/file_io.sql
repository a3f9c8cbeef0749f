-- title: File I/O by file
-- group: files
-- needs: file_stat
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
-- keep: reads, read_bytes, write_bytes, total_ns, time_pct
-- loss: either read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns, read_p50_bytes
-- none: no calls on files were traced: --param what=all has pipes, sockets and terminals, too
-- order: total_ns DESC, r.bytes DESC, r.calls DESC, file, r.key
--
-- Counts I/O calls that no outer layer counts already (see nested in docs/SCHEMA.md). A read of a pipe, a socket, an eventfd or a terminal is
-- waiting for somebody, and what has no name is nearly always one of them: they are left out. By process and directory they cannot be told from
-- files: there only calls that sockets alone have are left out (io_by_process can). By class terminals are in
-- the row of devices, and in the rows of io_by_process. Times of calls that run in parallel add up, so total_ns can
-- exceed the length of the run. Of as much time, or where no call has a duration (strace without -T), the files with most bytes come first.
-- Cached reads are in here too: block_io has what went to the disk.
-- With a time or phase given, a process's first access to a file in it is sequential only if it is at offset 0.
WITH
    row AS (
        SELECT
            coalesce(file_id, template_id, directory_id, class, process_id) AS key, max(of_top) AS top, sum(calls) AS calls, sum(errors) AS errors, sum(total_ns) AS total_ns,
            coalesce(sum(done_bytes) FILTER (WHERE verb IN ('read', 'write')), 0) AS bytes,
            sum(calls) FILTER (WHERE verb = 'open') AS opens, sum(calls) FILTER (WHERE verb = 'read') AS reads, sum(calls) FILTER (WHERE verb = 'write') AS writes,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes, sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            max(p50_ns) FILTER (WHERE verb = 'read') AS read_p50_ns, max(p99_ns) FILTER (WHERE verb = 'read') AS read_p99_ns,
            max(p50_ns) FILTER (WHERE verb = 'write') AS write_p50_ns, max(p99_ns) FILTER (WHERE verb = 'write') AS write_p99_ns,
            max(p50_bytes_low) FILTER (WHERE verb = 'read') AS read_p50_bytes,
            100.0 * sum(sequential) FILTER (WHERE verb IN ('read', 'write')) / nullif(sum(sequential + random) FILTER (WHERE verb IN ('read', 'write')), 0) AS sequential_pct
        FROM io_stat
        WHERE by = CASE WHEN coalesce(:by, 'file') <> 'file' THEN :by || ',verb' WHEN :what = 'all' THEN 'file,verb' ELSE 'file,verb,waits' END
            -- ranking first is worth it where there are many; the view of the stock shell ranks nothing
            AND of_top IS CASE WHEN coalesce(:by, 'file') = 'file' AND (SELECT max(id) FROM file) > 16384 AND EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = 'io_stat') THEN :limit END
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            AND (:what = 'all' OR coalesce(waits = 0, verb <> 'socket'))
        GROUP BY key
    ),
    -- kinds of files and directories, and the class that all their files have
    kind AS MATERIALIZED (
        SELECT s.id AS key, coalesce(nullif(s.text, ''), '(no name)') AS name, CASE WHEN min(f.class) = max(f.class) THEN f.class END AS class
        FROM file AS f JOIN string AS s ON s.id = CASE :by WHEN 'template' THEN f.template_id ELSE f.directory_id END
        WHERE :by IN ('template', 'directory')
        GROUP BY s.id
    ),
    shown AS MATERIALIZED (
        SELECT r.*, k.name, k.class
        FROM row AS r
        LEFT JOIN kind AS k ON k.key = r.key
        WHERE :what = 'all' OR (coalesce(k.class, r.key, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'unnamed')
            -- of terminals as in waited_file, by the kind of the name
            AND NOT (k.class IS 'device' AND (k.name GLOB '/dev/pts/*' OR k.name GLOB '/dev/tty*' OR k.name = '{}' OR k.name NOT GLOB '*[^0-9]*')))
    ),
    -- not by windows, which would keep all rows once more
    whole AS MATERIALIZED (
        SELECT sum(total_ns) AS total_ns, sum(done_bytes) FILTER (WHERE verb IN ('read', 'write')) AS bytes
        FROM io_stat
        WHERE by = CASE WHEN EXISTS (SELECT 1 FROM shown WHERE top IS NOT NULL) THEN 'verb,waits' END AND (:what = 'all' OR waits = 0)
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        UNION ALL
        SELECT sum(total_ns), sum(bytes)
        FROM shown
        WHERE NOT EXISTS (SELECT 1 FROM shown WHERE top IS NOT NULL)
    )
SELECT
    CASE coalesce(:by, 'file')
        WHEN 'file' THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), iif(f.id IS NULL, NULL, '(no name)'))
        WHEN 'process' THEN coalesce(p.name, '?') || ' (' || p.pid || coalesce(' on ' || p.host, '') || ')'
        WHEN 'class' THEN r.key
        ELSE r.name
    END AS file,
    coalesce(f.class, r.class, CASE :by WHEN 'class' THEN r.key END) AS class,
    CASE f.truncated WHEN 0 THEN f.path_basis WHEN 1 THEN coalesce(f.path_basis || ', cut', 'cut') END AS path_basis,
    coalesce(r.opens, 0) AS opens, coalesce(r.reads, 0) AS reads, coalesce(r.writes, 0) AS writes, r.errors, r.read_bytes, r.write_bytes, r.total_ns,
    100.0 * r.total_ns / w.of_all_ns AS time_pct,
    100.0 * r.bytes / nullif(w.of_all_bytes, 0) AS bytes_pct,
    r.read_p50_ns, r.read_p99_ns, r.write_p50_ns, r.write_p99_ns, r.read_p50_bytes, r.sequential_pct
FROM (SELECT max(total_ns) AS of_all_ns, max(bytes) AS of_all_bytes FROM whole) AS w
CROSS JOIN shown AS r
LEFT JOIN file AS f ON f.id = r.key AND coalesce(:by, 'file') = 'file'
LEFT JOIN process AS p ON p.id = r.key AND :by = 'process'
ORDER BY total_ns DESC, r.bytes DESC, r.calls DESC, file, r.key
LIMIT coalesce(:limit, -1);
