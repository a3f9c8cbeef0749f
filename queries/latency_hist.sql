-- title: Durations of I/O calls
-- group: files
-- needs: call
-- shell: call
-- param: by verb|op verb -- what has a histogram: what calls do (read, write, ...) or each operation
-- filters: time, process, file
-- columns: what, low_ns, high_ns, calls, calls_pct, up_to_pct, total_ns, total_pct, bar
-- column: calls count I/O calls whose duration is in it
-- keep: low_ns, high_ns, calls, bar
-- loss: none low_ns, high_ns
-- loss: either up_to_pct
-- none: no call of file I/O was traced with its duration (strace: -T)
-- order: what, low_ns
--
-- How long calls took: two hills are two kinds of them, such as those that the page cache serves and those that wait for a disk.
-- Those on pipes, sockets and eventfds are in, which wait for somebody. Calls that an outer layer counts are left out, and so are buckets
-- without calls.
WITH
    told AS MATERIALIZED (
        SELECT op_id, low_ns AS value, calls, coalesce(total_ns, 0) AS total
        FROM call_stat
        WHERE by = 'op,latency' AND low_ns IS NOT NULL
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process AND of_file IS :file
    ),
    counted AS (
        SELECT * FROM told
        UNION ALL
        -- the stock shell has no such rows where they would be too many, and no filters
        SELECT op_id, dur_ns, 1, dur_ns
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM told)) CROSS JOIN call
        WHERE nested = 0 AND dur_ns >= 0 AND coalesce(:start_ns, :end_ns, :phase, :pid, :process, :file) IS NULL
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
    what AS what, low AS low_ns,
    CASE low WHEN 0 THEN 1 ELSE 2 * low END AS high_ns,
    calls,
    100.0 * calls / sum(calls) OVER w AS calls_pct,
    100.0 * sum(calls) OVER (PARTITION BY what ORDER BY low) / sum(calls) OVER w AS up_to_pct,
    total AS total_ns,
    100.0 * total / nullif(sum(total) OVER w, 0) AS total_pct,
    substr('########################################', 1, 40 * calls / max(calls) OVER w) AS bar
FROM bucket
WINDOW w AS (PARTITION BY what)
ORDER BY what, low_ns;
