# The list of reports, by question and with a mark on those that a database has data for; reports of one's own stand last
. "$LIB"
trace 3 >a.out
"$TRACEDB" import -q -o a.db a.out
"$TRACEDB" import -q -o bio.db "$TESTDATA/bpftrace/bio.out"
some() { grep -E '^(name|block_io|file_io|gpu_util|info|mine|overview),'; }
"$TRACEDB" report --list -f csv | some
"$TRACEDB" report --list -f csv a.db | some
"$TRACEDB" report --list -f csv a.db bio.db | some
# the questions, in their order
"$TRACEDB" report --list a.db | grep '?$\|^Where'
"$TRACEDB" report --list a.db | grep -A 4 '^Where to begin'
# of what has data each report has rows: there are calls, but none that syncs or fails, or is on a lock or a socket
"$TRACEDB" report --list -f csv a.db | grep -E '^(errors|locks|small_io|socket_sum|sync_sum),'
"$TRACEDB" report --list -f csv a.db | grep ',yes,' | cut -d, -f1 | grep -vx around | while read -r report; do
	if [ -z "$("$TRACEDB" report -f csv "$report" a.db 2>/dev/null | sed 1d)" ]; then
		echo "$report: no rows"
	fi
done
mkdir own
printf '%s\n' '-- title: One' '-- column: n INTEGER it' '-- order: n' 'SELECT 1 AS n ORDER BY n;' >own/mine.sql
"$TRACEDB" report -Q own --list | tail -n 5
# one that is wrong is listed, and says itself what is wrong
mkdir wrong
printf '%s\n' '-- title: Wrong' '-- column: n INTEGER it' '-- none: nothing' '-- order: n' 'SELECT n FROM nowhere ORDER BY n;' >wrong/wrong.sql
"$TRACEDB" report -Q wrong --list a.db | tail -n 1
printf '%s\n' '-- title: One' '-- group: files' '-- column: n INTEGER it' '-- order: n' 'SELECT 1 AS n ORDER BY n;' >own/mine.sql
"$TRACEDB" report -Q own --list -f csv | some
try "$TRACEDB" report --list nosuch.db
try "$TRACEDB" report --list a.out
