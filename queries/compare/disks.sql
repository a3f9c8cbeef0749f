-- title: What the disks do
-- needs: block_request
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- columns: subject, sample, read_bytes, write_bytes, busy_ns
-- column: subject TEXT 'disks': all of them
-- column: sample TEXT which round
-- column: busy_ns dur_ns time with a request in progress
-- better: lower busy_ns
-- order: s.subject, r.start_ns, r.label
--
-- A request belongs to the round in which it was issued. Read-ahead and write-back let it be another one than that of the call.
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
        -- the last one may end after the last request
        SELECT r.* FROM round AS r
        WHERE r.label IS NULL OR r.end_ns - r.start_ns >= (
            SELECT coalesce(max(error_ns), 0) FROM clock_doubt WHERE kind = 'phases' AND against = 'events'
        ) AND EXISTS (
            SELECT 1 FROM source AS s JOIN source_loss AS l ON l.source_id = s.id
            WHERE l.has_blocks AND s.first_ns <= r.start_ns AND s.last_ns >= r.end_ns - (r.end_ns - r.start_ns) / 100
        )
    ),
    seen AS (
        SELECT
            'disks' AS subject, r.label, r.start_ns,
            sum(s.block_read_bytes) AS read_bytes, sum(s.block_write_bytes) AS write_bytes, sum(s.block_ns) AS busy_ns
        FROM covered AS r
        JOIN segment AS s ON s.start_ns >= r.start_ns AND s.start_ns < r.end_ns
        WHERE s.block_ns IS NOT NULL
        GROUP BY r.label, r.start_ns
    )
SELECT s.subject, r.label AS sample, s.read_bytes, s.write_bytes, s.busy_ns
FROM covered AS r
JOIN seen AS s ON s.label IS r.label
ORDER BY s.subject, r.start_ns, r.label;
