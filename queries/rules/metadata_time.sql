-- title: Looking files up takes longer than reading and writing them
-- level: warning
-- needs: file_stat
-- param: min_pct REAL 2 -- share of the run that opens, closes, stats and the like take together
-- column: metadata_calls count opens, closes, stats, listings and other calls that move no data
-- column: metadata_ns dur_ns time in them
-- column: data_ns dur_ns time in reads, writes and syncs
-- column: run_pct percent metadata_ns as a share of the run: may be above 100, as several processes call at a time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than metadata_ns, for each: at most
-- loss: either saves_ns
-- order: metadata_ns
-- finding: {metadata_calls} opens, closes, stats and listings took {metadata_ns}, {run_pct} of the run; reads, writes and syncs {data_ns}.
-- advice: Put samples into fewer, larger files; list folders once and keep the list; do not check whether a file exists before opening it. On a network file system each call is a round trip.
-- unless: they happen before the training begins.
--
-- Of files and folders, not of pipes, sockets and devices.
WITH sums AS (
    SELECT
        sum(calls) FILTER (WHERE verb NOT IN ('read', 'write', 'sync')) AS metadata_calls,
        coalesce(sum(total_ns) FILTER (WHERE verb NOT IN ('read', 'write', 'sync')), 0) AS metadata_ns,
        coalesce(sum(total_ns) FILTER (WHERE verb IN ('read', 'write', 'sync')), 0) AS data_ns
    FROM io_stat
    WHERE by = 'class,verb' AND class IN ('regular', 'directory', 'deleted', 'unknown')
)
SELECT s.metadata_calls, s.metadata_ns, s.data_ns, 100.0 * s.metadata_ns / (r.end_ns - r.start_ns) AS run_pct,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.metadata_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM sums AS s
CROSS JOIN run AS r
WHERE s.metadata_ns > s.data_ns AND 100.0 * s.metadata_ns >= coalesce(:min_pct, 2) * (r.end_ns - r.start_ns)
ORDER BY metadata_ns;
