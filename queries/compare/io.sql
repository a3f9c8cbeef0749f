-- title: I/O by what is done
-- needs: file_stat
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- columns: subject, sample, calls, bytes, total_ns, bytes_per_s
-- column: subject TEXT 'read', 'write', 'open', ...
-- column: sample TEXT which round
-- column: bytes bytes bytes
-- column: total_ns dur_ns time in all
-- column: bytes_per_s bytes_per_s bytes per second
-- better: shorter total_ns
-- better: higher bytes_per_s
-- loss: either bytes_per_s
-- order: v.verb, r.start_ns, r.label
--
-- Whatever layer they were recorded in: a read of the C library, a system call or a vfs call is a read, and is counted once. What reads a
-- pipe, a socket, an eventfd or what has no name waits for somebody, and is no I/O.
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
        SELECT verb, phase, sum(calls) AS calls, sum(done_bytes) AS done_bytes, sum(total_ns) AS total_ns
        FROM io_stat
        WHERE by = CASE WHEN EXISTS (SELECT 1 FROM unit) THEN 'class,verb,phase' ELSE 'class,verb' END
            AND verb <> 'socket' AND coalesce(class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
        GROUP BY verb, phase
    )
SELECT
    v.verb AS subject,
    r.label AS sample,
    coalesce(s.calls, 0) AS calls,
    CASE WHEN v.has_bytes THEN coalesce(s.done_bytes, 0) END AS bytes,
    coalesce(s.total_ns, 0) AS total_ns,
    1e9 * s.done_bytes / nullif(s.total_ns, 0) AS bytes_per_s
FROM (SELECT verb, count(done_bytes) > 0 AS has_bytes FROM seen GROUP BY verb) AS v
CROSS JOIN covered AS r
LEFT JOIN seen AS s ON s.verb = v.verb AND s.phase IS r.label
ORDER BY v.verb, r.start_ns, r.label;
