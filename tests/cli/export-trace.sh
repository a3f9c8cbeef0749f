# Traces for viewers: what is said of them, nothing is replaced without --force; tests/trace/ looks at what is in them
. "$LIB"
trace 3 >reads.out
"$TRACEDB" import -q -o x.db reads.out
try "$TRACEDB" export x.db --to perfetto=x.pftrace
try "$TRACEDB" export x.db --to perfetto=x.pftrace
try "$TRACEDB" export -q x.db --force --to perfetto=again.pftrace
cmp x.pftrace again.pftrace
"$TRACEDB" export -q x.db --to perfetto=x.pftrace.zst
zstd -dc x.pftrace.zst | cmp - x.pftrace
try "$TRACEDB" export x.db --to chrome=x.json
# three reads by process 4242
"$TRACEDB" export -q x.db --to chrome=- | grep -c '"ph":"X".*"pid":4242'
