-- title: Issues
-- group: data
-- needs: source
-- column: path TEXT source
-- column: kind TEXT what was wrong
-- column: effect TEXT dropped (the line is not in the tables), repaired (it is, changed) or noted (it is, unchanged)
-- column: count count how many lines
-- column: first_line INTEGER number of the first one; NULL if it is about the whole source
-- column: sample TEXT the first one kept, at most 80 characters of it; table issue has more
-- none: every line could be used
-- order: c.source_id, c.kind
--
-- What could not be used, or had to be repaired, by source and kind. No rows: every line was fine.
SELECT
    s.path, c.kind, c.effect, c.count, c.first_line,
    (
        SELECT CASE WHEN length(i.text) > 80 THEN substr(i.text, 1, 79) || '…' ELSE i.text END
        FROM issue AS i
        WHERE i.source_id = c.source_id AND i.kind = c.kind
        ORDER BY i.id
        LIMIT 1
    ) AS sample
FROM issue_count AS c
JOIN source AS s ON s.id = c.source_id
ORDER BY c.source_id, c.kind;
