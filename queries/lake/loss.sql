-- What the recorder lost, of each run: 'tracedb report loss'.
SELECT
    l.run AS run,
    s.path AS source,
    l.name AS events,
    l.ring AS ring,
    sum(l.generated) AS generated,
    sum(l.lost) AS lost,
    1e2 * sum(l.lost) / nullif(sum(l.generated), 0) AS lost_pct,
    sum(CASE WHEN l.lost > 0 THEN 1 ELSE 0 END) AS stretches,
    min(CASE WHEN l.lost > 0 THEN l.start_ns END) AS first_lost_ns,
    max(CASE WHEN l.lost > 0 THEN l.start_ns + l.dur_ns END) AS last_lost_ns,
    max(l.ring_peak_bytes) AS ring_peak_bytes,
    max(l.ring_size_bytes) AS ring_size_bytes
FROM lake.loss AS l
JOIN lake.source AS s ON s.run = l.run AND s.id = l.source_id
GROUP BY l.run, l.source_id, s.path, l.name, l.ring
ORDER BY l.run, l.source_id, l.name, l.ring;
