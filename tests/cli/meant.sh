# What is not said, but meant: the only database of a folder, the name of a report behind it, -V; a database among the logs
. "$LIB"
trace 3 >a.out
try "$TRACEDB" report
"$TRACEDB" import -q a.out
mv a.out.db a.db
"$TRACEDB" report io_by_process -f csv
"$TRACEDB" report -f csv a.db io_by_process
"$TRACEDB" info -f ndjson | head -n 1 | cut -c 1-30
"$TRACEDB" analyze --rule small_reads
try "$TRACEDB" import -o b.db a.db
# SQL has a blank, a name of a database none that is not there
"$TRACEDB" query -f csv 'SELECT count(*) AS calls FROM call'
echo 'SELECT 7 AS seven' | "$TRACEDB" query -f csv -
try "$TRACEDB" query gone 'SELECT 1'
mkdir run
cp a.out a.db run
"$TRACEDB" import -q -o b.db run
try "$TRACEDB" report
try "$TRACEDB" analyze
try "$TRACEDB" info
try "$TRACEDB" query 'SELECT 1'
[ "$("$TRACEDB" -V)" = "$("$TRACEDB" --version)" ]
