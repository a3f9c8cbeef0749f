-- title: How busy the GPUs are
-- needs: gpu_phase
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- column: subject TEXT 'gpu': all of them
-- column: sample TEXT which round
-- column: busy_pct percent share busy
-- column: busy_min_pct percent share busy, at least
-- column: busy_max_pct percent share busy, at most
-- column: idle_ns dur_ns idle in all
-- column: idle_min_ns dur_ns idle in all, at least
-- column: idle_max_ns dur_ns idle in all, at most
-- better: higher busy_pct, busy_min_pct, busy_max_pct
-- better: lower idle_ns, idle_min_ns, idle_max_ns
-- loss: none busy_min_pct, busy_max_pct, idle_min_ns, idle_max_ns
-- order: s.subject, r.start_ns, r.label
--
-- Where GPUs were sampled there are bounds instead of values. A round in which a GPU was not looked at all of the time is left out.
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
        SELECT
            coalesce(max(error_ns) FILTER (WHERE against = 'samples'), 0) AS samples_ns,
            coalesce(max(error_ns) FILTER (WHERE against = 'events'), 0) AS events_ns
        FROM clock_doubt
        WHERE kind = 'phases'
    ),
    seen AS (
        SELECT
            label,
            max(basis <> 'exact') AS is_sampled,
            max(basis = 'conflict') AS is_contradicted,
            sum(wall_ns) AS wall_ns,
            sum(busy_min_ns) AS busy_min_ns,
            sum(busy_max_ns) AS busy_max_ns
        FROM gpu_phase
        WHERE start_ns IS NULL AND run_number IS NULL
        GROUP BY label
    ),
    state AS (
        SELECT 'gpu' AS subject, r.label, w.*
        FROM round AS r
        CROSS JOIN doubt AS d
        JOIN seen AS w ON w.label = coalesce(r.label, '(run)')
        WHERE NOT w.is_contradicted AND (
            r.label IS NULL OR (
                w.wall_ns >= 0.99 * (r.end_ns - r.start_ns) * (SELECT count(DISTINCT device_id) FROM gpu_phase)
                AND r.end_ns - r.start_ns >= iif(w.is_sampled, d.samples_ns, d.events_ns)
            )
        )
    )
SELECT
    s.subject,
    r.label AS sample,
    iif(s.is_sampled, NULL, 100.0 * s.busy_min_ns / s.wall_ns) AS busy_pct,
    iif(s.is_sampled, 100.0 * s.busy_min_ns / s.wall_ns, NULL) AS busy_min_pct,
    iif(s.is_sampled, 100.0 * s.busy_max_ns / s.wall_ns, NULL) AS busy_max_pct,
    iif(s.is_sampled, NULL, s.wall_ns - s.busy_min_ns) AS idle_ns,
    iif(s.is_sampled, s.wall_ns - s.busy_max_ns, NULL) AS idle_min_ns,
    iif(s.is_sampled, s.wall_ns - s.busy_min_ns, NULL) AS idle_max_ns
FROM round AS r
JOIN state AS s ON s.label IS r.label
ORDER BY s.subject, r.start_ns, r.label;
