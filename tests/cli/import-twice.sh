# The same source twice, under whatever name, is recognised
. "$LIB"
trace 5 >a.out
mkdir run
cp a.out run/first.out
cp a.out run/second.out
try "$TRACEDB" import run
sources run.db
try "$TRACEDB" import --append -o run.db a.out
sources run.db
