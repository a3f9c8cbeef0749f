-- title: Sources cannot be put on one clock exactly
-- level: info
-- needs: source
-- param: min_ns dur_ns 500ms -- error of a clock that is reported
-- columns: sources, path, error_ns, clock, how
-- column: sources count sources of which the clock is off so much
-- column: path TEXT the worst of them
-- column: error_ns dur_ns its times may be off by so much; NULL: nobody knows
-- column: how TEXT the same in words
-- order: n
-- finding: The times of {path} (clock: {clock}) {how}.
-- advice: Let each tracer print a time that others print, too: nvidia-smi -o DT, a date with mpstat, strace -ttt, bpftrace's strftime(); or say it: --clock, --tz, --date of 'tracedb import'. 'tracedb record' has one clock for all. 'report quality' has each source.
-- unless: the question needs no other source.
SELECT sources, path, error_ns, clock,
    CASE WHEN error_ns IS NULL THEN 'cannot be compared with those of other sources' ELSE printf('may be off by %.1f s', error_ns / 1e9) END
        || CASE sources WHEN 1 THEN '' WHEN 2 THEN ', and one more source is not exact, either' ELSE printf(', and %d more sources are not exact, either', sources - 1) END AS how
FROM (
    SELECT
        path,
        clock_error_ns AS error_ns,
        clock,
        count(*) OVER () AS sources,
        row_number() OVER (ORDER BY clock_error_ns IS NOT NULL, clock_error_ns DESC, path, id) AS n
    FROM source
    WHERE clock IS NOT NULL AND first_ns IS NOT NULL AND (clock_error_ns IS NULL OR clock_error_ns >= coalesce(:min_ns, 500000000))
        AND (SELECT count(*) FROM source WHERE first_ns IS NOT NULL) > 1
)
WHERE n = 1
ORDER BY n;
