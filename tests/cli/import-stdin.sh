# Standard input, compressed or not, needs a name for its database
. "$LIB"
trace 5 >a.out
try "$TRACEDB" import - <a.out
gzip -nc a.out >a.gz
try "$TRACEDB" import -o x.db - <a.gz
sources x.db
