-- title: Programs wait for data to be on disk
-- level: warning
-- needs: file_stat
-- param: min_pct REAL 2 -- share of the run that syncs take
-- columns: calls, total_ns, max_ns, run_pct, template, mostly, saves_ns
-- column: calls count fsync() and the like
-- column: run_pct percent total_ns as a share of the run: may be above 100, as several processes sync at a time
-- column: template TEXT files that took most of it, with {} for numbers and for what is random
-- column: mostly TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: f.total_ns
-- finding: {calls} syncs (fsync and the like) took {total_ns}{mostly}, {run_pct} of the run; the longest {max_ns}.
-- advice: Sync once, after the last write of a checkpoint, from a thread beside the training; to a faster disk. A data base beside the training (SQLite, LMDB) can sync less often.
-- unless: the data has to survive a crash of the machine at each of these points.
WITH
    found AS (
        SELECT s.*, 100.0 * s.total_ns / (r.end_ns - r.start_ns) AS run_pct
        FROM (SELECT sum(calls) AS calls, sum(total_ns) AS total_ns, max(max_ns) AS max_ns FROM io_stat WHERE by = 'class,verb' AND verb = 'sync') AS s
        CROSS JOIN run AS r
        WHERE 100.0 * s.total_ns >= coalesce(:min_pct, 2) * (r.end_ns - r.start_ns)
    ),
    most AS (
        SELECT t.text, s.total_ns
        FROM (SELECT 1 FROM found LIMIT 1)
        CROSS JOIN io_stat AS s
        JOIN string AS t ON t.id = s.template_id
        WHERE s.by = 'template,verb' AND s.verb = 'sync'
        ORDER BY s.total_ns DESC, t.text
        LIMIT 1
    )
SELECT f.calls, f.total_ns, f.max_ns, f.run_pct, m.text AS template, coalesce(printf(' (%.0f %% of it ', 100.0 * m.total_ns / f.total_ns) || m.text || ')', '') AS mostly,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * f.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM found AS f
LEFT JOIN most AS m
ORDER BY f.total_ns;
