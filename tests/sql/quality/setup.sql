INSERT INTO source (id, path, importer, layout, state, detail, lines, rows, skipped, issues, repaired, lost_events,
    clock, clock_offset_ns, clock_error_ns, clock_basis, first_ns, last_ns) VALUES
    (1, 'vfs_rw.out', 'bpftrace', 'dgx1-rw', 'complete', NULL, 100, 92, 3, 5, 2, 40, 'boot', 500, 2000, 'ticks of TIME', 1000, 9000),
    (2, 'unet3d.log', 'mllog', NULL, 'cut', 'no newline at the end', 10, 10, 0, 0, 0, 0, 'utc', 0, 0, 'UTC', 1500, 8000),
    (3, 'notes.txt', NULL, NULL, 'unrecognised', NULL, 7, 0, 7, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL),
    (4, 'strace.out', 'strace', NULL, 'complete', NULL, 20, 19, 1, 0, 0, 0, 'relative', NULL, NULL, NULL, 0, 700),
    (5, 'cpu.out', 'mpstat', NULL, 'complete', NULL, 5, 4, 1, 0, 0, 0, 'local', 3600, 500000000, 'whole seconds', 1000, 8000),
    (6, 'pids.out', 'ps', NULL, 'complete', NULL, 3, 2, 1, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL),
    (7, 'run.db.spool', 'record', NULL, 'complete', NULL, 9, 9, 0, 0, 0, 0, 'boot', 0, 100, 'anchors', 1000, 8000),
    (8, 'other.db.spool', 'record', NULL, 'complete', NULL, 9, 9, 0, 0, 0, 0, 'boot', 0, 100, 'anchors', 1000, 8000);
INSERT INTO issue_count VALUES
    (1, 'spoilt-line', 'dropped', 4, 17), (1, 'cut-line', 'dropped', 1, 100), (1, 'wrapped-latency', 'repaired', 2, 5),
    (1, 'cut-path', 'noted', 3, 8), (7, 'mapped-files', 'noted', 1, 3),
    (8, 'mapped-files-unseen', 'noted', 1, 4);
