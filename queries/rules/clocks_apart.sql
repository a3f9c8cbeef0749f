-- title: Sources cannot be put on one clock exactly
-- level: info
-- needs: source
-- param: min_ns dur_ns 500ms -- error of a clock that is reported
-- column: path TEXT source
-- column: error_ns dur_ns its times may be off by so much; NULL: nobody knows
-- column: how TEXT the same in words
-- column: clock TEXT its clock
-- order: s.clock_error_ns IS NOT NULL, s.clock_error_ns DESC, s.path, s.id
-- finding: The times of {path} (clock: {clock}) {how}.
-- advice: Let each tracer print a time that others print, too: nvidia-smi -o DT, a date with mpstat, strace -ttt, bpftrace's strftime(); or say it: --clock, --tz, --date of 'tracedb import'. 'tracedb record' has one clock for all.
-- unless: the question needs no other source.
SELECT
    s.path,
    s.clock_error_ns AS error_ns,
    CASE WHEN s.clock_error_ns IS NULL THEN 'cannot be compared with those of other sources' ELSE printf('may be off by %.1f s', s.clock_error_ns / 1e9) END AS how,
    s.clock
FROM source AS s
WHERE s.clock IS NOT NULL AND s.first_ns IS NOT NULL AND (s.clock_error_ns IS NULL OR s.clock_error_ns >= coalesce(:min_ns, 500000000))
    AND (SELECT count(*) FROM source WHERE first_ns IS NOT NULL) > 1
ORDER BY s.clock_error_ns IS NOT NULL, s.clock_error_ns DESC, s.path, s.id
LIMIT 5;
