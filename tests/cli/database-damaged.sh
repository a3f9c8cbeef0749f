# A database with a hole in it: an error, not a crash and not an answer
. "$LIB"
trace 5000 >a.out
"$TRACEDB" import -o x.db a.out
size=$(wc -c <x.db)
head -c $((size / 2)) x.db >spoilt.db
try "$TRACEDB" query spoilt.db 'SELECT sum(dur_ns) FROM call'
