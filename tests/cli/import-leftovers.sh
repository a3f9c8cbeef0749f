# Killed while it unpacks an export of nsys, which SQLite reads as a file; and what older or lesser file systems may leave
. "$LIB"
sqlite3 export.sqlite <"$TESTDATA/nsys/schema-3.sql"
sqlite3 export.sqlite "CREATE TABLE filler AS SELECT randomblob(1000000) AS b; VACUUM"
mkfifo pipe
"$TRACEDB" import -o x.db - <pipe 2>/dev/null &
importing=$!
exec 3>pipe
# the pipe holds 64 KiB, and as many are looked at first: the rest is in the copy
head -c 900000 export.sqlite >&3
kill -9 $importing
exec 3>&-
wait $importing 2>/dev/null || echo "killed: $?"
ls -A

trace 5 >trace.out
touch .x.db.tracedb-abcdef.tmp .x.db.tracedb-ghijkl.tmp-spill-call .x.db.tracedb-ghijkl.tmp-spill-input-12
touch x.db.tmp x.db.tmp-spill x.db.temporary .y.db.tracedb-abcdef.tmp .x.db.tracedb-mine.tmp
try "$TRACEDB" import -o x.db trace.out
ls -A

# a compressed export, and one from stdin, leave nothing either
rm x.db x.db.t*
gzip -k export.sqlite
try "$TRACEDB" import -o x.db export.sqlite.gz
try "$TRACEDB" import -q -o y.db - <export.sqlite
ls x.db* y.db
