-- title: Database
-- group: data
-- needs: source
-- columns: name, hosts, job_ranks, start_ns, end_ns, count_from, dur_ns, local_zone, local_zone_basis, sources, not_complete
-- columns: lines, rows, skipped, issues, lost_events, loss, size_bytes, schema_version, tracedb_version
-- column: name TEXT imported folder or file
-- column: hosts TEXT machines that its sources are of
-- column: job_ranks TEXT ranks of a job that its sources are of, and how that is known: given, printed (a file says so), environment (in which it was recorded or imported), name (of a file or folder)
-- column: start_ns utc_ns when the first thing happened; NULL if nothing has a time
-- column: end_ns utc_ns when the last thing ended
-- column: count_from TEXT what these times count from: UTC if they are dated; else a day that no source tells (import --date gives it), boot, or the begin
-- column: dur_ns dur_ns from the one to the other; NULL if only an order is known
-- column: local_zone TEXT local time minus UTC, where a source needed it
-- column: local_zone_basis TEXT how it is known: given, sources (found by overlap) or assumed
-- column: sources count files that were imported, also those that nothing recognised
-- column: not_complete count of these: cut, empty, unrecognised or failed
-- column: lines count lines in them, which are rows, skipped or issues
-- column: loss TEXT the same in words, and how full the fullest buffer of a recording was
-- column: size_bytes bytes size of the database
-- column: schema_version INTEGER version of its tables
-- column: tracedb_version TEXT version of the program that wrote it
-- numbers: rows, skipped, lost_events
-- order: r.id
-- layout: record
--
-- What was imported, in one row. info_sources, info_issues and info_tables have the details.
SELECT
    r.name,
    (SELECT group_concat(host, ', ') FROM (SELECT DISTINCT host FROM source ORDER BY host)) AS hosts,
    (SELECT group_concat(rank, ', ') FROM (SELECT DISTINCT rank FROM source ORDER BY rank))
    || (SELECT ' (' || group_concat(rank_basis, ', ') || ')' FROM (SELECT DISTINCT rank_basis FROM source ORDER BY rank_basis)) AS job_ranks,
    r.start_ns, r.end_ns,
    CASE
        WHEN r.start_ns >= 100000000000000000 THEN 'UTC'
        WHEN r.start_ns IS NOT NULL AND o.is_order THEN 'nothing: only the order is known'
        WHEN sum(s.first_ns IS NOT NULL AND (s.clock IN ('local', 'local-tod') OR s.clock_offset_ns <> 0)) THEN 'an unknown day: --date gives it'
        WHEN sum(s.first_ns IS NOT NULL AND s.clock = 'boot') THEN 'boot'
        WHEN r.start_ns IS NOT NULL THEN 'the begin'
    END AS count_from,
    CASE WHEN NOT o.is_order THEN r.end_ns - r.start_ns END AS dur_ns,
    CASE
        WHEN r.utc_offset_s < 0 THEN printf('-%02d:%02d', -r.utc_offset_s / 3600, -r.utc_offset_s / 60 % 60)
        WHEN r.utc_offset_s >= 0 THEN printf('+%02d:%02d', r.utc_offset_s / 3600, r.utc_offset_s / 60 % 60)
    END AS local_zone,
    r.utc_offset_basis AS local_zone_basis,
    count(*) AS sources,
    sum(s.state <> 'complete') AS not_complete,
    sum(s.lines) AS lines,
    sum(s.rows) AS rows,
    sum(s.skipped) AS skipped,
    sum(s.issues) AS issues,
    sum(s.lost_events) AS lost_events,
    CASE WHEN sum(s.lost_events) > 0 THEN printf('%,d events', sum(s.lost_events)) ELSE 'none' END
    || coalesce((SELECT printf('; fullest buffer %.0f %%', max(100.0 * ring_peak_bytes / ring_size_bytes)) FROM loss WHERE ring_size_bytes > 0 HAVING count(ring_peak_bytes) > 0), '') AS loss,
    (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS size_bytes,
    (SELECT user_version FROM pragma_user_version) AS schema_version,
    r.tracedb_version
FROM run AS r
CROSS JOIN source AS s
CROSS JOIN (SELECT coalesce(min(id IN (SELECT source_id FROM issue_count WHERE kind = 'no-time-stamps')), 0) AS is_order FROM source WHERE first_ns IS NOT NULL) AS o
GROUP BY r.id
ORDER BY r.id;
