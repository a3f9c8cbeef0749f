-- title: Sources
-- group: data
-- needs: source
-- columns: path, importer, layout, state, lines, rows, skipped, issues, repaired, lost, clock, clock_offset_ns, clock_error_ns
-- columns: clock_basis, host, rank, detail
-- column: path TEXT file, relative to the imported folder where there is one
-- column: layout TEXT variant of the format
-- column: lines count lines = rows + skipped + issues
-- column: lost count events that the tracing tool reports as lost
-- column: clock_offset_ns utc_ns what was added to them to get UTC; for clock 'boot' the time of boot
-- column: clock_basis TEXT how the offset is known
-- column: detail TEXT why it is not complete
-- keep: state, issues, lost, clock_error_ns, detail
-- order: s.id
--
-- Every file that was imported, in the order of import.
SELECT
    s.path, s.importer, s.layout, s.state, s.lines, s.rows, s.skipped, s.issues, s.repaired,
    s.lost_events AS lost,
    s.clock, s.clock_offset_ns, s.clock_error_ns, s.clock_basis, s.host, s.rank, s.detail
FROM source AS s
ORDER BY s.id;
