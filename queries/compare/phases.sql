-- title: Lengths of the run and its phases
-- needs: segment
-- uses: span
-- column: subject TEXT 'run' or a phase
-- column: sample TEXT which round of the phase
-- column: ns dur_ns length
-- better: shorter ns
-- loss: none ns
-- order: s.subject, s.run_number, s.number, s.start_ns
--
-- A phase without a number is a round each time. Of ranks the first begins it and the last ends it.
WITH
    lengths AS (
        SELECT
            name AS subject, label AS sample, coalesce(run_number, 1) AS run_number, number, min(start_ns) AS start_ns,
            CASE WHEN count(*) = count(dur_ns) THEN max(end_ns) - min(start_ns) END AS ns
        FROM phases
        WHERE number IS NOT NULL
        GROUP BY name, number, coalesce(run_number, 1)
        UNION ALL
        SELECT name, name || ' ' || row_number() OVER (PARTITION BY name, rank ORDER BY start_ns), coalesce(run_number, 1), NULL, start_ns, dur_ns
        FROM phases
        WHERE number IS NULL AND name <> 'run' AND (rank IS NULL OR rank = (SELECT min(rank) FROM phases))
        UNION ALL
        SELECT 'run', NULL, NULL, NULL, start_ns, end_ns - start_ns FROM run
    )
SELECT s.subject, s.sample, s.ns
FROM lengths AS s
ORDER BY s.subject, s.run_number, s.number, s.start_ns;
