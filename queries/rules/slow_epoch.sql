-- title: An epoch takes longer than the others
-- level: warning
-- needs: phase_interval
-- param: min_ratio REAL 1.2 -- of the median of all
-- param: min_epochs INTEGER 4 -- of so many at least
-- columns: epoch, dur_ns, epochs, p50_ns, times, of_run
-- column: epoch TEXT which
-- column: epochs count epochs of the run
-- column: times REAL dur_ns by p50_ns
-- column: of_run TEXT which run it is of, where there are several
-- loss: none dur_ns, epochs, p50_ns, times
-- order: r.ns DESC, r.label, r.run_number
-- finding: {epoch}{of_run} took {dur_ns}, {times} times the median of the {epochs} epochs ({p50_ns}).
-- advice: See what it did that the others did not: 'report phases', 'report gpu_idle --phase "{epoch}"', 'report slowest --phase "{epoch}"'.
-- unless: it had more to do (an evaluation, a checkpoint).
--
-- Not the first one, which rule first_epoch_slow looks at.
WITH
    epoch AS MATERIALIZED (
        SELECT label, run_number, min(start_ns) AS start_ns, sum(end_ns - start_ns) AS ns
        FROM phase_interval
        WHERE label LIKE 'epoch _%'
        GROUP BY label, run_number
    ),
    ranked AS MATERIALIZED (
        SELECT
            *,
            row_number() OVER (PARTITION BY run_number ORDER BY start_ns, label) AS place,
            row_number() OVER (PARTITION BY run_number ORDER BY ns) AS rank,
            count(*) OVER (PARTITION BY run_number) AS epochs
        FROM epoch
    ),
    middle AS (
        SELECT run_number, avg(ns) AS p50_ns
        FROM ranked
        WHERE rank IN ((epochs + 1) / 2, (epochs + 2) / 2)
        GROUP BY run_number
    )
SELECT r.label AS epoch, r.ns AS dur_ns, r.epochs, m.p50_ns, r.ns / m.p50_ns AS times,
    CASE WHEN (SELECT count(DISTINCT run_number) FROM epoch) > 1 THEN ' of run ' || r.run_number ELSE '' END AS of_run
FROM ranked AS r
JOIN middle AS m ON m.run_number IS r.run_number
WHERE r.place > 1 AND r.epochs >= coalesce(:min_epochs, 4) AND r.ns >= coalesce(:min_ratio, 1.2) * m.p50_ns
ORDER BY r.ns DESC, r.label, r.run_number
LIMIT 3;
