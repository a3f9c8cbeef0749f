-- title: Files of the run could not be used
-- level: info
-- needs: source
-- param: min_pct REAL 1 -- share of the lines of a file that could not be used that is reported
-- column: path TEXT file
-- column: state TEXT what is wrong with it
-- column: detail TEXT more
-- column: lines count lines in it
-- column: unusable count lines that could not be used
-- loss: none lines, unusable
-- order: s.path, s.id
-- finding: {path} is {state}: {unusable} of {lines} lines could not be used.
-- advice: 'tracedb info' shows what was wrong with which line; 'tracedb formats' what is recognised; --format says what a file is; bpftrace scripts of your own: --layout SCRIPT.bt.
-- unless: it is no trace.
SELECT
    s.path,
    CASE WHEN s.state = 'complete' THEN 'damaged' WHEN s.state = 'unrecognised' THEN 'not recognised' ELSE s.state END AS state,
    s.detail,
    s.lines,
    s.issues AS unusable
FROM source AS s
WHERE s.state IN ('cut', 'unrecognised', 'failed') OR (s.issues > 0 AND 100.0 * s.issues >= coalesce(:min_pct, 1) * s.lines)
ORDER BY s.path, s.id
LIMIT 10;
