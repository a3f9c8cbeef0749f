-- Pages as small as they can be, so that the b-tree is three deep; the values take each length that integers have.
PRAGMA page_size = 512;
CREATE TABLE call (
    id INTEGER PRIMARY KEY, start_ns INTEGER, dur_ns INTEGER, op_id INTEGER, process_id INTEGER, thread_id INTEGER, file_id INTEGER,
    ret INTEGER, asked_bytes INTEGER, done_bytes INTEGER, offset_bytes INTEGER, fd INTEGER, nested INTEGER, unfinished INTEGER,
    source_id INTEGER, args_id INTEGER, cold_bytes INTEGER, correlation INTEGER
);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO call SELECT i, i * 1000000007, 1 << i % 60, i % 7, i % 3, NULL, i * 37 % 300, -(1 << i % 31), i, nullif(i % 5, 0), 0, 3, i % 2, 0, 1, NULL, NULL, nullif(i % 11, 0) * 99 FROM n;
