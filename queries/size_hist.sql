-- title: Sizes of I/O calls
-- group: files
-- needs: call
-- shell: call
-- param: by verb|op verb -- what has a histogram: what calls do (read, write, ...) or each operation
-- filters: time, process, file
-- columns: what, low_bytes, high_bytes, calls, calls_pct, up_to_pct, bytes, bytes_pct, bar
-- column: low_bytes bytes lower end of the bucket, a power of two or 0
-- column: calls count I/O calls that transferred so much
-- keep: low_bytes, high_bytes, calls, bar
-- loss: none low_bytes, high_bytes
-- loss: either up_to_pct
-- none: no call of file I/O was traced that says how much it transferred
-- order: what, low_bytes
--
-- How much calls transferred: many small ones cost more than few large ones. Calls that transfer nothing (opens, closes) have no size.
-- Those on pipes, sockets and eventfds are in, which wait for somebody. Calls that an outer layer counts are left out, and so are buckets
-- without calls.
WITH
    told AS MATERIALIZED (
        SELECT op_id, low_bytes AS value, calls, coalesce(done_bytes, 0) AS total
        FROM call_stat
        WHERE by = 'op,size'
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process AND of_file IS :file
    ),
    counted AS (
        SELECT * FROM told WHERE value IS NOT NULL
        UNION ALL
        -- the stock shell has no such rows, also none of calls without a size, where they would be too many, and no filters
        SELECT op_id, done_bytes, 1, done_bytes
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM told)) CROSS JOIN call
        WHERE nested = 0 AND done_bytes >= 0 AND coalesce(:start_ns, :end_ns, :phase, :pid, :process, :file) IS NULL
    ),
    bucket AS (
        -- the power of two at or below the value, by its first hexadecimal digit and how many there are
        SELECT
            CASE coalesce(:by, 'verb') WHEN 'verb' THEN o.verb ELSE o.name END AS what,
            CASE c.value WHEN 0 THEN 0 ELSE
                (CASE substr(printf('%x', c.value), 1, 1) WHEN '1' THEN 1 WHEN '2' THEN 2 WHEN '3' THEN 2 WHEN '4' THEN 4 WHEN '5' THEN 4 WHEN '6' THEN 4 WHEN '7' THEN 4 ELSE 8 END)
                << (4 * (length(printf('%x', c.value)) - 1)) END AS low,
            sum(c.calls) AS calls, sum(c.total) AS total
        FROM counted AS c
        JOIN op AS o ON o.id = c.op_id
        WHERE o.kind = 'io'
        GROUP BY 1, 2
    )
SELECT
    what AS what, low AS low_bytes,
    CASE low WHEN 0 THEN 1 ELSE 2 * low END AS high_bytes,
    calls,
    100.0 * calls / sum(calls) OVER w AS calls_pct,
    100.0 * sum(calls) OVER (PARTITION BY what ORDER BY low) / sum(calls) OVER w AS up_to_pct,
    total AS bytes,
    100.0 * total / nullif(sum(total) OVER w, 0) AS bytes_pct,
    substr('########################################', 1, 40 * calls / max(calls) OVER w) AS bar
FROM bucket
WINDOW w AS (PARTITION BY what)
ORDER BY what, low_bytes;
