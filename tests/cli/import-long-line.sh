# A line of 134 kB is data of the wrong kind, one of 2 MB is cut: both are counted, the rest is imported
. "$LIB"
{
	trace 5
	head -c 134000 /dev/zero | tr '\0' x
	echo
	head -c 2000000 /dev/zero | tr '\0' y
	echo
	trace 3 | tail -n 2
} >long.out
try "$TRACEDB" import -o long.db long.out
sources long.db
sqlite3 long.db 'SELECT kind, effect, count, first_line FROM issue_count; SELECT length(text) FROM issue'
