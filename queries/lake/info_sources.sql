-- What each run was imported from, and how much of it could be read: 'tracedb report info_sources'.
SELECT
    run,
    path,
    importer,
    layout,
    state,
    lines,
    rows,
    skipped,
    issues,
    repaired,
    lost_events AS lost,
    clock,
    clock_offset_ns,
    clock_error_ns,
    clock_basis,
    detail
FROM lake.source
ORDER BY run, id;
