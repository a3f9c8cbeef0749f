-- title: The first epoch takes longer than the others
-- level: info
-- needs: phase_interval
-- uses: block_request, file_stat
-- param: min_ratio REAL 1.3 -- of the median of the others
-- columns: run_number, first_epoch_ns, others, p50_ns, times, lost_ns, of_run, saves_ns
-- column: run_number INTEGER run of the training program
-- column: first_epoch_ns dur_ns the first epoch
-- column: others count epochs after it
-- column: times REAL first_epoch_ns by p50_ns
-- column: lost_ns dur_ns by how much it is longer
-- column: of_run TEXT which run it is of, where there are several
-- column: saves_ns dur_ns idle time of all GPUs, and not more than lost_ns, for each: at most
-- loss: either saves_ns
-- loss: none first_epoch_ns, others, p50_ns, times, lost_ns
-- order: r.run_number
-- finding: The first epoch{of_run} took {first_epoch_ns}, {times} times the median of the {others} others ({p50_ns}).
-- advice: Data that is read for the first time ('report phases' has the share that came from the page cache), compiling (torch.compile, cuDNN's search), allocating. Compare epochs without it; warm the cache up while the model is built.
-- unless: the first epoch has more to do.
WITH
    epoch AS MATERIALIZED (
        SELECT label, run_number, min(start_ns) AS start_ns, sum(end_ns - start_ns) AS ns
        FROM phase_interval
        WHERE label LIKE 'epoch _%'
        GROUP BY label, run_number
    ),
    placed AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY run_number ORDER BY start_ns, label) AS place,
            count(*) OVER (PARTITION BY run_number) AS epochs
        FROM epoch
    ),
    ranked AS (SELECT *, row_number() OVER (PARTITION BY run_number ORDER BY ns) AS rank FROM placed WHERE place > 1),
    other AS (
        -- of an even number the mean of the middle two
        SELECT run_number, epochs - 1 AS n, avg(ns) FILTER (WHERE rank IN (epochs / 2, (epochs + 1) / 2)) AS p50_ns
        FROM ranked
        GROUP BY run_number
    )
SELECT
    r.run_number,
    r.ns AS first_epoch_ns,
    o.n AS others,
    o.p50_ns,
    r.ns / o.p50_ns AS times,
    r.ns - o.p50_ns AS lost_ns,
    CASE WHEN (SELECT count(DISTINCT run_number) FROM epoch) > 1 THEN ' of run ' || r.run_number ELSE '' END AS of_run,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), CAST((r.ns - o.p50_ns) * count(*) AS INTEGER))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM placed AS r
JOIN other AS o ON o.run_number IS r.run_number
WHERE r.place = 1 AND o.n >= 2 AND r.ns >= coalesce(:min_ratio, 1.3) * o.p50_ns
ORDER BY r.run_number;
