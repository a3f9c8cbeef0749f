# An import by SQLite, and the name of a writer that there is none of.
. "$LIB"
trace 100 >trace.out
TRACEDB_WRITER=sqlite try "$TRACEDB" import -q -o s.db trace.out
TRACEDB_WRITER=btree try "$TRACEDB" import -q -o b.db trace.out
sqlite3 s.db .dump >s.sql
sqlite3 b.db .dump | sed "s/'b'/'s'/" | cmp - s.sql
TRACEDB_WRITER=paper try "$TRACEDB" import -o p.db trace.out
ls
