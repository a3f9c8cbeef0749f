-- title: Work on the GPUs, by kernel
-- needs: gpu_op
-- uses: span
-- param: rounds TEXT NULL -- samples are the rounds of this phase; NULL: epochs, or the numbered phase that lasts longest
-- columns: subject, sample, runs, total_ns, mean_ns
-- column: subject TEXT kind and name: 'kernel NAME', 'copy Device-to-Host'
-- column: sample TEXT which round
-- column: runs count how many there were
-- column: total_ns dur_ns time in them
-- better: shorter total_ns, mean_ns
-- loss: either mean_ns
-- weigh: total_ns
-- order: k.subject, r.start_ns, r.label
--
-- Work belongs to the round in which it begins on the GPU.
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
        SELECT r.* FROM round AS r
        WHERE r.label IS NULL OR r.end_ns - r.start_ns >= (
            SELECT coalesce(max(error_ns), 0) FROM clock_doubt WHERE kind = 'phases' AND against = 'events'
        ) AND EXISTS (SELECT 1 FROM gpu_op WHERE start_ns BETWEEN r.start_ns AND r.end_ns)
    ),
    seen AS MATERIALIZED (
        SELECT r.label, o.kind_id, o.name_id, count(*) AS runs, sum(o.dur_ns) AS total_ns, avg(o.dur_ns) AS mean_ns
        FROM covered AS r
        JOIN gpu_op AS o ON r.label IS NULL OR (o.start_ns >= r.start_ns AND o.start_ns < r.end_ns)
        WHERE o.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
        GROUP BY r.label, o.kind_id, o.name_id
    ),
    named AS (
        SELECT s.kind_id, s.name_id, k.text || ' ' || n.text AS subject
        FROM (SELECT DISTINCT kind_id, name_id FROM seen) AS s
        JOIN string AS k ON k.id = s.kind_id
        JOIN string AS n ON n.id = s.name_id
    )
SELECT
    k.subject,
    r.label AS sample,
    coalesce(s.runs, 0) AS runs,
    coalesce(s.total_ns, 0) AS total_ns,
    s.mean_ns
FROM named AS k
CROSS JOIN covered AS r
LEFT JOIN seen AS s ON s.kind_id = k.kind_id AND s.name_id = k.name_id AND s.label IS r.label
ORDER BY k.subject, r.start_ns, r.label;
