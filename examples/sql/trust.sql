-- How far can each source be trusted?
SELECT l.path, l.lost_events, l.unusable_lines, s.clock_error_ns / 1000000 AS clock_error_ms
FROM source_loss AS l
JOIN source AS s ON s.id = l.source_id
ORDER BY l.path;
