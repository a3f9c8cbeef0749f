# Killed in the middle: nothing under the final name, or what was there before; the ruins are in nobody's way
. "$LIB"
trace 5 >small.out
trace 300000 >large.out
mkfifo pipe

# Its input does not end before the signal comes: that is the middle for certain.
killed_import()
{
	"$TRACEDB" import "$@" - <pipe 2>/dev/null &
	importing=$!
	exec 3>pipe
	cat large.out >&3
	kill -9 $importing
	exec 3>&-
	wait $importing 2>/dev/null || echo "killed: $?"
}

killed_import -o x.db
ls x.db 2>/dev/null || echo "no x.db"
try "$TRACEDB" import -o x.db small.out
calls x.db
before=$(cksum x.db)
killed_import --append -o x.db
[ "$before" = "$(cksum x.db)" ] && echo unchanged
trace 7 >more.out
try "$TRACEDB" import --append -o x.db more.out
calls x.db
ls x.db*
