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
mkdir run
cp a.out a.db run
"$TRACEDB" import -q -o b.db run
try "$TRACEDB" report
try "$TRACEDB" analyze
try "$TRACEDB" info
[ "$("$TRACEDB" -V)" = "$("$TRACEDB" --version)" ]
