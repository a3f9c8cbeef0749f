-- As call-pages.sql: texts and numbers of each length, columns that are missing at the end.
PRAGMA page_size = 512;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT, name TEXT, path_basis TEXT, class TEXT, class_known INTEGER, directory_id INTEGER,
    template_id INTEGER, truncated INTEGER, device INTEGER
);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO file SELECT i, nullif(printf('/dev/tty%.*c', i % 90, 'x'), '/dev/ttyx'), printf('%d', i), NULL, iif(i % 3, 'device', 'pipe'), 1, i * i * 1000003, i % 7, 0, nullif(i % 5, 0) FROM n;
ALTER TABLE file ADD COLUMN more INTEGER;
