# Two imports to one name at the same time: one of them wins, whole
. "$LIB"
trace 20000 >a.out
cp a.out b.out
"$TRACEDB" import -o x.db a.out 2>/dev/null &
first=$!
"$TRACEDB" import -o x.db b.out 2>/dev/null &
second=$!
failures=0
wait $first || failures=$((failures + 1))
wait $second || failures=$((failures + 1))
echo "failed: $failures"
calls x.db
sqlite3 x.db 'PRAGMA integrity_check'
ls -- x.db*
