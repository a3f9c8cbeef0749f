INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES
    (1, 'a.db.spool', 'record', 'complete', 0, 0, 0, 0, 0, 35), (2, 'b.db.spool', 'record', 'complete', 0, 0, 0, 0, 0, 0);
INSERT INTO loss VALUES
    (1, 1, 'sched', 0, 1000, 9000, 400, 0, 512, 4096),
    (2, 1, 'file_io', 0, 1000, 4000, 70, 0, 100, 4096),
    (3, 1, 'file_io', 0, 5000, 1000, 20, 10, 4096, 4096),
    (4, 1, 'file_io', 0, 6000, 1000, 30, 20, 4096, 4096),
    (5, 1, 'file_io', 0, 7000, 3000, 80, 0, 90, 4096),
    (6, 1, 'file_io', 1, 1000, 9000, 50, 0, 64, 8192),
    (7, 1, 'spool', NULL, 9000, 1000, 5, 5, NULL, NULL),
    (8, 2, 'sched', 0, 1000, 9000, 0, 0, 0, 4096);
