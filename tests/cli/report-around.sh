# Everything near a moment, which is a time like any other
. "$LIB"
cp -r "$EXAMPLES/stall/run" run
"$TRACEDB" import -q run -o stall.db
"$TRACEDB" report around --at 42.1s --width 3s stall.db
try "$TRACEDB" report around --at 500s stall.db
try "$TRACEDB" report around --at 42 stall.db
