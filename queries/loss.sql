-- title: What the recorder lost
-- group: data
-- needs: loss
-- columns: source, events, ring, generated, lost, lost_pct, stretches, first_lost_ns, last_lost_ns, ring_peak_bytes
-- columns: ring_size_bytes
-- column: events TEXT event set; 'spool': what found no room on the disk
-- column: ring INTEGER buffer between kernel and recorder; NULL if it was not lost there
-- column: generated count events that there were
-- column: lost count of these: not in the tables
-- column: lost_pct percent share of generated
-- column: stretches count stretches of time, of about a second, in which some were lost
-- column: first_lost_ns ts_ns begin of the first of these; NULL if nothing was lost
-- column: last_lost_ns ts_ns end of the last one
-- column: ring_peak_bytes bytes fill of the buffer at its highest
-- column: ring_size_bytes bytes its size
-- order: l.source_id, l.name, l.ring
--
-- One row per event set and buffer; the table loss has each stretch of time. Where events were lost, totals of that event set
-- are lower bounds, and what they would have said of the time between first_lost_ns and last_lost_ns is not known. A buffer that
-- was nearly full wants to be larger.
SELECT
    s.path AS source,
    l.name AS events,
    l.ring,
    sum(l.generated) AS generated,
    sum(l.lost) AS lost,
    100.0 * sum(l.lost) / nullif(sum(l.generated), 0) AS lost_pct,
    sum(l.lost > 0) AS stretches,
    min(CASE WHEN l.lost > 0 THEN l.start_ns END) AS first_lost_ns,
    max(CASE WHEN l.lost > 0 THEN l.start_ns + l.dur_ns END) AS last_lost_ns,
    max(l.ring_peak_bytes) AS ring_peak_bytes,
    max(l.ring_size_bytes) AS ring_size_bytes
FROM loss AS l
JOIN source AS s ON s.id = l.source_id
GROUP BY l.source_id, l.name, l.ring
ORDER BY l.source_id, l.name, l.ring;
