-- title: A tracer lost events
-- level: warning
-- needs: source
-- param: min_pct REAL 0.1 -- share of the events of a source that is reported
-- param: critical_pct REAL 10 -- and that is critical
-- column: level TEXT how bad it is
-- column: path TEXT source
-- column: lost count events that the tracer says it lost
-- column: rows count lines that carried data
-- column: lost_pct percent lost as a share of both
-- loss: none lost, rows, lost_pct
-- order: s.lost_events DESC, s.path
-- finding: {lost} events are missing in {path}, {lost_pct} of all.
-- advice: Give the tracer more room (bpftrace: BPFTRACE_PERF_RB_PAGES or BPFTRACE_MAX_MAP_KEYS; tracedb record: --buffer), trace less (fewer event sets, only the processes that matter), or count in the kernel what need not be seen one by one.
-- unless: only the order of magnitude matters: totals are at least what is there.
SELECT
    CASE WHEN 100.0 * s.lost_events >= coalesce(:critical_pct, 10) * (s.lost_events + s.rows) THEN 'critical' ELSE 'warning' END AS level,
    s.path,
    s.lost_events AS lost,
    s.rows,
    100.0 * s.lost_events / (s.lost_events + s.rows) AS lost_pct
FROM source AS s
WHERE s.lost_events > 0 AND 100.0 * s.lost_events >= coalesce(:min_pct, 0.1) * (s.lost_events + s.rows)
ORDER BY s.lost_events DESC, s.path;
