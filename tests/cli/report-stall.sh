# Reports of idle time and I/O on the shipped example; those that it has no data for say what would have it
. "$LIB"
"$TRACEDB" import -q "$EXAMPLES/stall/run" -o stall.db
"$TRACEDB" report gpu_idle --phase epoch stall.db
for report in stalls bandwidth cache slowest workers; do
	"$TRACEDB" report $report --param limit=8 -f csv stall.db 2>/dev/null
done
"$TRACEDB" report log_writers,thread_sum stall.db
"$TRACEDB" report faults,locks,ranks,socket_sum,stragglers stall.db
