-- title: Sources
-- group: data
-- needs: source
-- column: path TEXT file, relative to the imported folder where there is one
-- column: importer TEXT what read it (tracedb formats); NULL if nothing recognised it
-- column: layout TEXT variant of the format
-- column: state TEXT complete, cut, empty, unrecognised or failed
-- column: lines count lines = rows + skipped + issues
-- column: rows count lines that carried data
-- column: skipped count lines that are known to carry none
-- column: issues count lines that could not be used
-- column: repaired count of rows: lines with a value that had to be repaired
-- column: lost count events that the tracing tool reports as lost
-- column: clock TEXT clock of its time stamps
-- column: clock_offset_ns utc_ns what was added to them to get UTC; for clock 'boot' the time of boot
-- column: clock_error_ns dur_ns half width of the interval that the offset lies in; NULL if unknown
-- column: clock_basis TEXT how the offset is known
-- column: host TEXT machine; NULL if unknown
-- column: rank INTEGER rank in its job; NULL if unknown
-- column: detail TEXT why it is not complete
-- order: s.id
--
-- Every file that was imported, in the order of import.
SELECT
    s.path,
    s.importer,
    s.layout,
    s.state,
    s.lines,
    s.rows,
    s.skipped,
    s.issues,
    s.repaired,
    s.lost_events AS lost,
    s.clock,
    s.clock_offset_ns,
    s.clock_error_ns,
    s.clock_basis,
    s.host,
    s.rank,
    s.detail
FROM source AS s
ORDER BY s.id;
