# Everything near a moment, which is a time like any other
. "$LIB"
cp -r "$EXAMPLES/stall/run" run
"$TRACEDB" import -q run -o stall.db
"$TRACEDB" report around --at 42.1s --width 3s stall.db
try "$TRACEDB" report around --at 500s stall.db
try "$TRACEDB" report around --at 42 stall.db
# a time of day is that of where the run was: it began at 23:59:35 (UTC-05:00), the read that hung 42.09 s later at 00:00:17.09 of the next day
for time in 00:00:15/00:00:20 23:59:50/23:59:53.5; do
	"$TRACEDB" report slowest --limit 1 --filter-time $time -f csv --columns start_ns,dur_ns,file stall.db 2>/dev/null
done
try "$TRACEDB" report slowest --filter-time 00:01:00/ stall.db
try "$TRACEDB" report slowest --filter-time 25:00:00/ stall.db
