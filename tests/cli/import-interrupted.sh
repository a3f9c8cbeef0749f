# Interrupted in the middle by any signal that can be caught: nothing is left, and what was there is as it was
. "$LIB"
trace 5 >small.out
trace 100000 >large.out
try "$TRACEDB" import -q -o x.db small.out
before=$(cksum x.db)
mkfifo pipe

# Its input does not end before the signal comes, and it has read what the pipe does not hold. The shell lets
# what runs in the background ignore some of them.
for signal in HUP INT QUIT PIPE ALRM TERM USR1 USR2 PROF XCPU XFSZ VTALRM; do
	env --default-signal "$TRACEDB" import --force -o x.db - <pipe 2>/dev/null &
	importing=$!
	exec 3>pipe
	cat large.out >&3
	kill -s $signal $importing
	exec 3>&-
	status=0
	wait $importing 2>/dev/null || status=$?
	[ "$(kill -l $status)" = $signal ] || echo "$signal: exit $status"
	ls -A
	[ "$before" = "$(cksum x.db)" ] || echo "$signal: changed"
done | sort | uniq -c

# what the caller ignores stays ignored
(
	trap '' HUP
	"$TRACEDB" import -q --force -o x.db - <pipe &
	importing=$!
	exec 3>pipe
	cat large.out >&3
	kill -s HUP $importing
	exec 3>&-
	wait $importing || echo "exit $?"
)
calls x.db
