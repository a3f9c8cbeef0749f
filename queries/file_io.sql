-- title: File I/O
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
-- order: total_ns DESC, done_bytes DESC, calls DESC, file, key_id
--
-- Counts I/O calls that no outer layer counts already (see nested in docs/SCHEMA.md). A read of a pipe, a socket, an eventfd or a terminal is
-- waiting for somebody, and what has no name is nearly always one of them: they are left out. By process and directory they cannot be told from
-- files: there only calls that sockets alone have are left out (io_by_process can). By class terminals are in
-- the row of devices, and in the rows of io_by_process. Times of calls that run in parallel add up, so total_ns can
-- exceed the length of the run. Of as much time, or where no call has a duration (strace without -T), the files with most bytes come first.
-- Cached reads are in here too: block_io has what went to the disk.
-- With a time or phase given, a process's first access to a file in it is sequential only if it is at offset 0.
SELECT
    name AS file, class, path_basis, opens, reads, writes, errors, read_bytes, write_bytes, total_ns,
    100.0 * total_ns / all_total_ns AS time_pct,
    100.0 * done_bytes / nullif(all_done_bytes, 0) AS bytes_pct,
    read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns, read_p50_bytes,
    100.0 * sequential / nullif(sequential + random, 0) AS sequential_pct
FROM file_use
WHERE by = coalesce(:by, 'file') || iif(:what = 'all', ',waited', '')
    AND of_top >= CASE WHEN :limit >= 0 THEN :limit ELSE 9223372036854775807 END
    AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
ORDER BY total_ns DESC, done_bytes DESC, calls DESC, file, key_id
LIMIT coalesce(:limit, -1);
