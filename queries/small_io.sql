-- title: Small reads and writes
-- group: files
-- needs: file_stat
-- param: below bytes 4096 -- calls that transfer less are small; a power of two, others are taken for the next lower one
-- param: by template|process template -- what a row is
-- filters: time, process, file, limit
-- columns: name, op, small_calls, calls_pct, small_bytes, bytes_pct, small_ns, time_pct, mean_bytes, ends, at_once_calls
-- column: name TEXT kind of file (digits are {}), or process id and name
-- column: small_calls count calls that transferred less, but not nothing
-- column: calls_pct percent share of all its calls that transferred something
-- column: small_bytes bytes what they transferred
-- column: bytes_pct percent share of all its bytes
-- column: small_ns dur_ns time in them
-- column: time_pct percent share of the time of all its calls that transferred something
-- column: mean_bytes bytes mean size of the small ones
-- column: ends count calls that transferred nothing: the end of the file was found by them
-- column: at_once_calls count so many calls would move the bytes of the small ones with 1 MiB each
-- loss: either mean_bytes
-- none: no read or write transferred so few bytes, as far as they tell how many
-- order: small_calls DESC, name, op, s.id
--
-- A call costs about the same whether it moves a byte or a page; more on network file systems, where each may be a request. A reader that
-- finds the end of each file by a read of nothing makes one call too many per file. Pipes, sockets and terminals are in,
-- as a queue that passes a few bytes at a time is as expensive.
WITH
    size AS MATERIALIZED (
        SELECT
            CASE coalesce(:by, 'template') WHEN 'process' THEN process_id ELSE template_id END AS id,
            process_id, template_id, verb, low_bytes, calls, coalesce(done_bytes, 0) AS bytes, total_ns AS ns,
            -- a bucket of sizes is small if its end, the next power of two, is no more than the limit
            low_bytes > 0 AND 2 * low_bytes <= coalesce(:below, 4096) AS is_small
        FROM io_stat
        WHERE by = CASE coalesce(:by, 'template') WHEN 'process' THEN 'process,verb,size' ELSE 'template,verb,size' END
            AND verb IN ('read', 'write') AND low_bytes IS NOT NULL
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process AND of_file IS :file
    ),
    s AS (
        SELECT
            id, process_id, template_id, verb,
            sum(calls) FILTER (WHERE is_small) AS small_calls, sum(calls) FILTER (WHERE low_bytes > 0) AS calls,
            sum(bytes) FILTER (WHERE is_small) AS small_bytes, sum(bytes) AS bytes,
            sum(ns) FILTER (WHERE is_small) AS small_ns, sum(ns) FILTER (WHERE low_bytes > 0) AS ns,
            coalesce(sum(calls) FILTER (WHERE low_bytes = 0), 0) AS ends
        FROM size
        GROUP BY id, verb
    )
SELECT
    coalesce(p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, ''), t.text) AS name,
    s.verb AS op, s.small_calls,
    100.0 * s.small_calls / s.calls AS calls_pct,
    s.small_bytes,
    100.0 * s.small_bytes / nullif(s.bytes, 0) AS bytes_pct,
    s.small_ns,
    100.0 * s.small_ns / nullif(s.ns, 0) AS time_pct,
    s.small_bytes / s.small_calls AS mean_bytes,
    s.ends,
    (s.small_bytes + 1048575) / 1048576 AS at_once_calls
FROM s
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN string AS t ON t.id = s.template_id
WHERE s.small_calls > 0
ORDER BY small_calls DESC, name, op, s.id
LIMIT coalesce(:limit, -1);
