# Spans of a thread that stand within each other, and one that does not
. "$LIB"
# outer of 100 ns has a of 40 ns, within which is b of 10 ns, and right behind it another a of 20 ns; another thread has a of 5 ns;
# late begins in outer and ends 30 ns after it. What has no thread, and phases, are no part of it.
sqlite3 nsys.sqlite <<'END'
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.0');
CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER, name TEXT, label TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
    endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO NVTX_EVENTS VALUES
    (0, 100, 59, 'outer', 281491753927656, NULL, NULL, 0), (0, 40, 59, 'a', 281491753927656, NULL, NULL, 0),
    (5, 15, 59, 'b', 281491753927656, NULL, NULL, 0), (40, 60, 59, 'a', 281491753927656, NULL, NULL, 0),
    (90, 130, 59, 'late', 281491753927656, NULL, NULL, 0), (50, 55, 59, 'a', 281491753927657, NULL, NULL, 0),
    (0, 200, 60, 'start and end', 281491753927656, NULL, NULL, 0);
END
"$TRACEDB" import -q -o x.db nsys.sqlite
try "$TRACEDB" flame x.db -o x.folded
cat x.folded
try "$TRACEDB" flame x.db
# by number each span is one
try "$TRACEDB" flame x.db --count -o y.folded
cat y.folded
# from 10 ns to 50 ns: 40 of outer, in which 30 of the first a, 5 of b, 10 of the second
try "$TRACEDB" flame x.db --from 10ns --to 50ns -o y.folded
cat y.folded
