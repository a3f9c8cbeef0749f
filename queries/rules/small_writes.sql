-- title: Files are written in small pieces
-- level: warning
-- needs: file_stat
-- param: max_bytes bytes 1024 -- a mean write below is small
-- param: min_calls INTEGER 1000 -- so many writes are reported
-- param: min_pct REAL 1 -- and this share of the run that they took
-- columns: template, calls, mean_bytes, total_ns, run_pct, saves_ns
-- column: calls count writes
-- column: run_pct percent total_ns as a share of the run: may be above 100, as several processes write at a time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- loss: either mean_bytes
-- order: s.total_ns DESC, t.text
-- finding: {calls} writes to {template} moved {mean_bytes} each and took {total_ns}, {run_pct} of the run.
-- advice: Write through a buffer and flush it now and then, not after each line; log less, or not at every step. 'report anon_writers' and 'report writes_timeline' show who writes, and when.
-- unless: each line has to be on disk when the program dies.
--
-- The three templates that took most time; files only, no pipes and terminals.
SELECT
    t.text AS template,
    s.calls,
    s.done_bytes / s.calls AS mean_bytes,
    s.total_ns,
    100.0 * s.total_ns / (r.end_ns - r.start_ns) AS run_pct,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM io_stat AS s
JOIN string AS t ON t.id = s.template_id
CROSS JOIN run AS r
WHERE s.by = 'template,verb' AND s.verb = 'write'
    AND s.calls >= coalesce(:min_calls, 1000)
    AND s.done_bytes < s.calls * coalesce(:max_bytes, 1024)
    AND 100.0 * s.total_ns >= coalesce(:min_pct, 1) * (r.end_ns - r.start_ns)
    AND EXISTS (SELECT 1 FROM file_kind AS f WHERE f.template_id = s.template_id AND f.class IN ('regular', 'deleted'))
ORDER BY s.total_ns DESC, t.text
LIMIT 3;
