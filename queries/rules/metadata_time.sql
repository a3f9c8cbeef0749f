-- title: Looking files up takes long
-- level: warning
-- needs: file_stat
-- param: min_pct REAL 2 -- share of the run that opens, closes, stats and the like take together, if that is longer than reads, writes and syncs
-- param: large_pct REAL 20 -- share of the run that is reported even if these take longer
-- param: critical_pct REAL 50 -- and that is critical
-- columns: level, metadata_calls, metadata_ns, data_ns, run_pct, template, template_ns, mostly, saves_ns
-- column: level TEXT how bad it is
-- column: metadata_calls count opens, closes, stats, listings and other calls that move no data
-- column: metadata_ns dur_ns time in them
-- column: data_ns dur_ns time in reads, writes and syncs
-- column: run_pct percent metadata_ns as a share of the run: may be above 100, as several processes call at a time
-- column: template TEXT files that took most of it, with {} for numbers and for what is random
-- column: template_ns dur_ns how much
-- column: mostly TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than metadata_ns, for each: at most
-- loss: either saves_ns
-- order: metadata_ns
-- finding: {metadata_calls} opens, closes, stats and listings took {metadata_ns}{mostly}, {run_pct} of the run; reads, writes and syncs {data_ns}.
-- advice: Put samples into fewer, larger files; list folders once and keep the list; do not check whether a file exists before opening it. On a network file system each call is a round trip.
-- unless: they happen before the training begins.
--
-- Of files and folders, not of pipes, sockets and devices.
WITH
    sums AS (
        SELECT
            sum(calls) FILTER (WHERE verb NOT IN ('read', 'write', 'sync')) AS metadata_calls,
            coalesce(sum(total_ns) FILTER (WHERE verb NOT IN ('read', 'write', 'sync')), 0) AS metadata_ns,
            coalesce(sum(total_ns) FILTER (WHERE verb IN ('read', 'write', 'sync')), 0) AS data_ns
        FROM io_stat
        WHERE by = 'class,verb' AND class IN ('regular', 'directory', 'deleted', 'unknown')
    ),
    found AS (
        SELECT s.*, 100.0 * s.metadata_ns / (r.end_ns - r.start_ns) AS run_pct
        FROM sums AS s
        CROSS JOIN run AS r
        WHERE 100.0 * s.metadata_ns >= CASE WHEN s.metadata_ns > s.data_ns THEN coalesce(:min_pct, 2) ELSE coalesce(:large_pct, 20) END * (r.end_ns - r.start_ns)
    ),
    -- of a look at all names only if there is something to tell
    most AS (
        SELECT t.text, sum(s.total_ns) AS total_ns
        FROM (SELECT 1 FROM found LIMIT 1)
        CROSS JOIN io_stat AS s
        JOIN string AS t ON t.id = s.template_id
        WHERE s.by = 'template,verb' AND s.verb NOT IN ('read', 'write', 'sync')
            AND EXISTS (SELECT 1 FROM file_kind AS f WHERE f.template_id = s.template_id AND f.class IN ('regular', 'directory', 'deleted', 'unknown'))
        GROUP BY s.template_id
        ORDER BY total_ns DESC, t.text
        LIMIT 1
    )
SELECT
    CASE WHEN f.run_pct >= coalesce(:critical_pct, 50) THEN 'critical' ELSE 'warning' END AS level,
    f.metadata_calls, f.metadata_ns, f.data_ns, f.run_pct,
    m.text AS template, m.total_ns AS template_ns, coalesce(printf(' (%.0f %% of it ', 100.0 * m.total_ns / f.metadata_ns) || m.text || ')', '') AS mostly,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * f.metadata_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM found AS f
LEFT JOIN most AS m
ORDER BY metadata_ns;
