-- title: A tracer lost events
-- level: warning
-- needs: source
-- param: min_pct REAL 0.1 -- share of the events of a source that is reported
-- param: critical_pct REAL 10 -- and that is critical
-- column: level TEXT how bad it is
-- column: sources count sources that lost so many
-- column: lost count events that their tracers say they lost
-- column: lost_pct percent lost as a share of what there was
-- column: path TEXT the source that lost the greatest share
-- column: path_lost count events that it lost
-- column: path_lost_pct percent the same as a share of its events
-- column: place TEXT the sources in words
-- loss: none sources, lost, lost_pct, path_lost, path_lost_pct
-- order: n
-- finding: {lost} events are missing in {place}.
-- advice: Give the tracer more room (bpftrace: BPFTRACE_PERF_RB_PAGES or BPFTRACE_MAX_MAP_KEYS; tracedb record: --buffer), trace less (fewer event sets, only the processes that matter), or count in the kernel what need not be seen one by one. 'report quality' has each source.
-- unless: only the order of magnitude matters: totals are at least what is there.
SELECT
    CASE WHEN path_pct >= coalesce(:critical_pct, 10) THEN 'critical' ELSE 'warning' END AS level,
    sources,
    lost,
    100.0 * lost / events AS lost_pct,
    path,
    path_lost,
    path_pct AS path_lost_pct,
    CASE
        WHEN sources = 1 THEN printf('%s, %.1f%% of all', path, path_pct)
        ELSE printf('%d sources; worst is %s: %,d, %.1f%% of all', sources, path, path_lost, path_pct)
    END AS place
FROM (
    SELECT
        path,
        lost_events AS path_lost,
        100.0 * lost_events / (lost_events + rows) AS path_pct,
        count(*) OVER () AS sources,
        sum(lost_events) OVER () AS lost,
        sum(lost_events + rows) OVER () AS events,
        row_number() OVER (ORDER BY 1.0 * lost_events / (lost_events + rows) DESC, path, id) AS n
    FROM source
    WHERE lost_events > 0 AND 100.0 * lost_events >= coalesce(:min_pct, 0.1) * (lost_events + rows)
)
WHERE n = 1
ORDER BY n;
