-- title: I/O by kind of file and role of the process
-- needs: file_stat
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- columns: subject, sample, calls, bytes, total_ns, p50_ns
-- column: subject TEXT what is done to which files, and by whom
-- column: sample TEXT which round
-- column: bytes bytes bytes
-- column: total_ns dur_ns time in all
-- better: shorter total_ns, p50_ns
-- loss: either p50_ns
-- weigh: total_ns
-- order: k.subject, r.start_ns, r.label
--
-- Digits and random parts of names do not count, and neither do process ids. Pipes, sockets, eventfds and what has no name are left out.
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
    covered AS MATERIALIZED (
        -- the last one may end after the last call
        SELECT r.* FROM round AS r
        WHERE r.label IS NULL OR r.end_ns - r.start_ns >= (
            SELECT coalesce(max(error_ns), 0) FROM clock_doubt WHERE kind = 'phases' AND against = 'events'
        ) AND EXISTS (
            SELECT 1 FROM source AS s JOIN source_loss AS l ON l.source_id = s.id
            WHERE l.has_calls AND s.first_ns <= r.start_ns AND s.last_ns >= r.end_ns - (r.end_ns - r.start_ns) / 100
        )
    ),
    seen AS MATERIALIZED (
        SELECT
            s.verb || ' of ' || t.text || ' by ' || coalesce(s.role, 'other processes') AS subject,
            s.phase,
            sum(s.calls) AS calls,
            sum(s.done_bytes) AS done_bytes,
            sum(s.total_ns) AS total_ns,
            CASE WHEN count(*) = 1 THEN s.p50_ns END AS p50_ns
        FROM io_stat AS s
        JOIN string AS t ON t.id = s.template_id
        WHERE s.by = CASE WHEN EXISTS (SELECT 1 FROM unit) THEN 'template,role,verb,phase' ELSE 'template,role,verb' END
            AND s.verb <> 'socket' AND EXISTS (SELECT 1 FROM file_kind AS f WHERE f.template_id = s.template_id AND f.class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed'))
        GROUP BY 1, 2
    )
SELECT
    k.subject,
    r.label AS sample,
    coalesce(s.calls, 0) AS calls,
    CASE WHEN k.has_bytes THEN coalesce(s.done_bytes, 0) END AS bytes,
    coalesce(s.total_ns, 0) AS total_ns,
    s.p50_ns
FROM (SELECT subject, count(done_bytes) > 0 AS has_bytes FROM seen GROUP BY subject) AS k
CROSS JOIN covered AS r
LEFT JOIN seen AS s ON s.subject = k.subject AND s.phase IS r.label
ORDER BY k.subject, r.start_ns, r.label;
