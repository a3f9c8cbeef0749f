# No space left: the message says so, nothing is left behind, an older database stays
. "$LIB"
mkdir disk
mount -t tmpfs -o size=6m tracedb-test disk 2>/dev/null || skip "cannot mount a small tmpfs (needs root)"
trap 'umount disk' EXIT
trace 5 >small.out
"$TRACEDB" import -o disk/x.db small.out 2>/dev/null
trace 200000 >large.out
try "$TRACEDB" import -o disk/y.db large.out
try "$TRACEDB" import --append -o disk/x.db large.out
ls disk
calls disk/x.db
