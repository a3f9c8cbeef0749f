-- What could not be used, or had to be repaired, of each run: 'tracedb report info_issues'.
SELECT
    s.run AS run,
    s.path AS path,
    c.kind AS kind,
    c.effect AS effect,
    c.count AS count,
    c.first_line AS first_line
FROM lake.issue_count AS c
JOIN lake.source AS s ON s.run = c.run AND s.id = c.source_id
ORDER BY c.run, s.id, c.kind;
