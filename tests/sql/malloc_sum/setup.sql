-- 10 calls of malloc with 1000 bytes in all, 4 of calloc of 150,000 each, and free.
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 't.db.spool', 'record', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'sh', 1);
INSERT INTO summary (id, source_id, name, key, low, high, value, unit) VALUES
    (1, 1, 'malloc.calls', '10 malloc', 64, 128, 9, NULL), (2, 1, 'malloc.calls', '10 malloc', 128, 256, 1, NULL),
    (3, 1, 'malloc.bytes', '10 malloc', NULL, NULL, 1000, 'bytes'),
    (4, 1, 'malloc.calls', '10 calloc', 131072, 262144, 4, NULL), (5, 1, 'malloc.bytes', '10 calloc', NULL, NULL, 600000, 'bytes'),
    (6, 1, 'malloc.calls', '20 free', NULL, NULL, 7, NULL), (7, 1, 'pthread.calls', '10 pthread_mutex_lock', 0, 1, 5, NULL);
