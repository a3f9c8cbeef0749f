# A database that keeps a write-ahead log: reading leaves no file beside it, and sees what is only in the log
. "$LIB"
trace 5 >a.out
try "$TRACEDB" import -q -o 'x?.db' a.out
[ "$(sqlite3 'x?.db' 'PRAGMA journal_mode = WAL')" = wal ]
try "$TRACEDB" info -o info.txt 'x?.db'
try "$TRACEDB" report -o report.txt file_io 'x?.db'
try "$TRACEDB" query 'x?.db' 'SELECT count(*) AS n FROM call'
ls -A

# a copy of a database that is in use: its last changes are in the log
mkdir hot
sqlite3 'x?.db' "CREATE TABLE mine (a); INSERT INTO mine VALUES (1)" '.system cp x?.db* hot'
rm 'hot/x?.db-shm'
try "$TRACEDB" query 'hot/x?.db' 'SELECT count(*) AS n FROM mine'
ls -A 'hot/x?.db' 'hot/x?.db-wal'
