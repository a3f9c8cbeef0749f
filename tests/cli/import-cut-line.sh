# A file that ends in the middle of a line (the tracer was killed): the half line is counted
. "$LIB"
trace 5 | head -c -40 >cut.out
try "$TRACEDB" import -o cut.db cut.out
sources cut.db
sqlite3 cut.db 'SELECT kind, effect, count, first_line FROM issue_count'
