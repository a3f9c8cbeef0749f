-- title: How busy the CPUs are
-- needs: cpu_util
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- column: subject TEXT 'cpu': all of them, of all machines
-- column: sample TEXT which round
-- column: busy_min_pct percent share busy, at least
-- column: busy_max_pct percent share busy, at most
-- column: iowait_min_pct percent share idle while a disk worked, at least
-- column: iowait_max_pct percent share idle while a disk worked, at most
-- better: lower iowait_min_pct, iowait_max_pct
-- loss: none busy_min_pct, busy_max_pct, iowait_min_pct, iowait_max_pct
-- order: s.subject, r.start_ns, r.label
--
-- CPUs are sampled once a second or so, and when in the second they were busy is not known.
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
        SELECT coalesce(max(error_ns), 0) AS ns FROM clock_doubt WHERE kind = 'phases' AND against = 'samples'
    ),
    seen AS MATERIALIZED (
        SELECT
            'cpu' AS subject,
            label,
            sum(wall_ns) AS wall_ns,
            sum(busy_min_ns) AS busy_min_ns,
            sum(busy_max_ns) AS busy_max_ns,
            CASE WHEN count(iowait_min_ns) = count(*) THEN sum(iowait_min_ns) END AS iowait_min_ns,
            CASE WHEN count(iowait_max_ns) = count(*) THEN sum(iowait_max_ns) END AS iowait_max_ns
        FROM cpu_phase
        WHERE start_ns IS NULL AND run_number IS NULL
        GROUP BY label
    )
SELECT
    s.subject,
    r.label AS sample,
    100.0 * s.busy_min_ns / s.wall_ns AS busy_min_pct,
    100.0 * s.busy_max_ns / s.wall_ns AS busy_max_pct,
    100.0 * s.iowait_min_ns / s.wall_ns AS iowait_min_pct,
    100.0 * s.iowait_max_ns / s.wall_ns AS iowait_max_pct
FROM round AS r
CROSS JOIN doubt AS d
JOIN seen AS s ON s.label = coalesce(r.label, '(run)')
WHERE s.wall_ns > 0 AND (r.label IS NULL OR r.end_ns - r.start_ns >= d.ns)
ORDER BY s.subject, r.start_ns, r.label;
