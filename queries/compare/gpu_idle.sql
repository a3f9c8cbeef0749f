-- title: What was in progress while the GPUs idled
-- needs: gpu_phase
-- uses: segment
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- column: subject TEXT 'idle: ' and the cause, as in report gpu_idle
-- column: sample TEXT which round
-- column: ns dur_ns in all
-- column: min_ns dur_ns in all, at least
-- column: max_ns dur_ns in all, at most
-- better: lower ns, min_ns, max_ns
-- loss: either ns, min_ns, max_ns
-- order: c.subject, r.start_ns, r.label
--
-- Where GPUs were sampled there are bounds instead of values. What no run has a trace of is in none of its causes. A round in which a GPU was not looked at all of the time is left out, and so
-- is one that is shorter than the clocks are off.
WITH
    unit AS MATERIALIZED (
        SELECT name FROM phases
        WHERE number IS NOT NULL AND dur_ns IS NOT NULL AND (:rounds IS NULL OR name = :rounds COLLATE NOCASE)
        GROUP BY name
        HAVING count(DISTINCT number) > 1
        ORDER BY name = 'epoch' DESC, sum(dur_ns) DESC, name
        LIMIT 1
    ),
    round AS MATERIALIZED (
        SELECT i.label, min(i.start_ns) AS start_ns, max(i.end_ns) AS end_ns
        FROM phase_interval AS i
        JOIN (SELECT DISTINCT label FROM phases WHERE name IN unit AND number IS NOT NULL) AS p ON p.label = i.label
        GROUP BY i.label
        UNION ALL
        SELECT NULL, start_ns, end_ns FROM run WHERE NOT EXISTS (SELECT 1 FROM unit)
    ),
    doubt AS MATERIALIZED (
        SELECT coalesce(max(error_ns), 0) AS ns FROM clock_doubt
    ),
    looked AS MATERIALIZED (
        SELECT r.label, r.start_ns, max(g.basis <> 'exact') AS is_sampled
        FROM round AS r
        CROSS JOIN doubt AS d
        JOIN gpu_phase AS g ON g.label = coalesce(r.label, '(run)') AND g.start_ns IS NULL AND g.run_number IS NULL
        WHERE r.label IS NULL OR r.end_ns - r.start_ns >= d.ns
        GROUP BY r.label, r.start_ns, r.end_ns
        HAVING max(g.basis = 'conflict') = 0
            AND (r.label IS NULL OR sum(g.wall_ns) >= 0.99 * (r.end_ns - r.start_ns) * (SELECT count(DISTINCT device_id) FROM gpu_phase))
    ),
    seen AS MATERIALIZED (
        SELECT label, 'idle: ' || cause AS subject, sum(idle_min_ns) AS min_ns, sum(idle_max_ns) AS max_ns
        FROM gpu_idle_part
        WHERE start_ns IS NULL AND run_number IS NULL
        GROUP BY label, cause
    )
SELECT
    c.subject,
    r.label AS sample,
    iif(r.is_sampled, NULL, coalesce(s.min_ns, 0)) AS ns,
    iif(r.is_sampled, coalesce(s.min_ns, 0), NULL) AS min_ns,
    iif(r.is_sampled, coalesce(s.max_ns, 0), NULL) AS max_ns
FROM (SELECT subject FROM seen GROUP BY subject HAVING max(max_ns) > 0) AS c
CROSS JOIN looked AS r
LEFT JOIN seen AS s ON s.subject = c.subject AND s.label = coalesce(r.label, '(run)')
ORDER BY c.subject, r.start_ns, r.label;
