-- title: Files of the run could not be used
-- level: info
-- needs: source
-- param: min_pct REAL 1 -- share of the lines of a file that could not be used that is reported
-- columns: path, what, detail, lines, unusable
-- column: path TEXT file
-- column: what TEXT what is wrong with it
-- column: lines count lines in it
-- column: unusable count lines that could not be used
-- loss: none lines, unusable
-- order: s.path, s.id
-- finding: {path}: {what}.
-- advice: 'tracedb info' shows what was wrong with which line; 'tracedb formats' what is recognised; --format says what a file is; bpftrace scripts of your own: --layout SCRIPT.bt.
-- unless: it is no trace.
SELECT
    s.path,
    CASE s.state
        WHEN 'unrecognised' THEN 'no importer recognises it'
        WHEN 'failed' THEN 'it could not be read'
        WHEN 'cut' THEN 'its end is missing'
        ELSE printf('%d of %d lines could not be used', s.issues, s.lines)
    END AS what,
    s.detail,
    s.lines,
    s.issues AS unusable
FROM source AS s
WHERE s.state IN ('cut', 'unrecognised', 'failed') OR (s.issues > 0 AND 100.0 * s.issues >= coalesce(:min_pct, 1) * s.lines)
ORDER BY s.path, s.id
LIMIT 10;
