-- title: How far the data can be trusted
-- group: data
-- needs: source
-- columns: source, importer, state, lines, rows, skipped, issues, repaired, lost_events, truncated_paths, clock, clock_error_ns
-- columns: kinds, advice
-- column: source TEXT input file
-- column: lines count lines in the file
-- column: truncated_paths count calls on a path that the tracer cut
-- column: kinds TEXT issues by kind, with counts
-- column: advice TEXT what not to conclude from it; NULL: nothing known against it
-- keep: state, lost_events, clock_error_ns, advice
-- order: s.id
--
-- lines = rows + skipped + issues, always. Loss makes every total of the source a lower bound. A wrapped latency
-- was printed as a negative number and repaired; one of more than 4.29 s in a 32-bit column cannot be told from a
-- short one. Times of sources are comparable within the sum of their clock errors.
WITH
    kind AS (
        SELECT source_id, group_concat(kind || ' ' || count || ' (' || effect || ')', ', ') AS kinds
        FROM (SELECT source_id, kind, effect, count FROM issue_count ORDER BY source_id, count DESC, kind)
        GROUP BY source_id
    ),
    cut AS (
        SELECT source_id, count AS n FROM issue_count WHERE kind = 'cut-path'
    )
SELECT
    s.path AS source,
    s.importer, s.state, s.lines, s.rows, s.skipped, s.issues, s.repaired, s.lost_events,
    coalesce(cut.n, 0) AS truncated_paths,
    s.clock, s.clock_error_ns, kind.kinds,
    nullif(rtrim(
        CASE WHEN s.lost_events > 0 THEN 'totals are lower bounds; ' ELSE '' END
        || CASE WHEN s.state = 'cut' THEN 'the end is missing: ' || coalesce(s.detail, '') || '; ' ELSE '' END
        || CASE WHEN s.state IN ('unrecognised', 'failed', 'duplicate') THEN coalesce(s.detail, s.state) || '; ' ELSE '' END
        || CASE WHEN s.clock IS NOT NULL AND s.clock_error_ns IS NULL THEN CASE WHEN (SELECT count(first_ns) FROM source) > 1 THEN 'not on the common clock: ' ELSE 'on a clock of its own: ' END || coalesce(s.clock_basis, '') || '; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'mapped-files') THEN 'I/O on mapped files shows as page faults only, a lower bound; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'mapped-files-unseen') THEN 'I/O on mapped files is missing: record with -e file_io,faults to see its page faults; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'requests-unseen') THEN 'reads and writes by io_uring and io_submit are missing: tracedb record has them; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'duplicate-calls') THEN 'calls that another source has, too, count twice: import one of them; ' ELSE '' END
        || CASE WHEN cut.n > 0 THEN 'cut paths cannot be told apart; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'clock-step') THEN 'its clock was set back: what comes after can have been later; ' ELSE '' END
        || CASE WHEN s.id IN (SELECT source_id FROM issue_count WHERE kind = 'unknown-host') THEN 'of several machines it can be any: put it beside a file that names its machine; ' ELSE '' END,
        '; '), '') AS advice
FROM source AS s
LEFT JOIN kind ON kind.source_id = s.id
LEFT JOIN cut ON cut.source_id = s.id
ORDER BY s.id;
