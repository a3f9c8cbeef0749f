-- title: Data loaders have unequal work
-- level: warning
-- needs: file_stat, process
-- param: min_ratio REAL 1.5 -- time of the busiest loader in I/O calls, by the mean of all
-- param: min_pct REAL 5 -- if that is such a share of the run
-- columns: loaders, pid, total_ns, mean_ns, times, saves_ns
-- column: loaders count loader processes
-- column: pid INTEGER the busiest
-- column: mean_ns dur_ns mean of all
-- column: times REAL total_ns by mean_ns
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns less that of the loader with the least, for each: at most
-- loss: either saves_ns
-- loss: either mean_ns
-- order: l.total_ns DESC, l.pid
-- finding: Of {loaders} data loaders, {pid} spent {total_ns} in I/O calls, {times} times the mean ({mean_ns}).
-- advice: Give out samples one by one, or in small chunks, to whoever is free, not in equal shares; mix large and small samples. A loader that hands results out in order waits for the slowest.
-- unless: the others spend the same time computing.
WITH loader AS (
    SELECT p.pid, p.id, sum(s.total_ns) AS total_ns, count(*) OVER () AS loaders, avg(sum(s.total_ns)) OVER () AS mean_ns, min(sum(s.total_ns)) OVER () AS least_ns
    FROM process AS p
    JOIN io_stat AS s ON s.process_id = p.id
    WHERE p.role = 'data-loader' AND s.by = 'process,verb'
    GROUP BY p.id
)
SELECT l.loaders, l.pid, l.total_ns, l.mean_ns, l.total_ns / l.mean_ns AS times,
    (
        -- what the busiest waits for alone, a hang of a read, is all more than the least; were it shared out, each would have its part of it
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * (l.total_ns - l.least_ns))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM loader AS l
CROSS JOIN run AS r
WHERE l.loaders > 1
    AND l.total_ns >= coalesce(:min_ratio, 1.5) * l.mean_ns
    AND 100.0 * l.total_ns >= coalesce(:min_pct, 5) * (r.end_ns - r.start_ns)
ORDER BY l.total_ns DESC, l.pid
LIMIT 1;
