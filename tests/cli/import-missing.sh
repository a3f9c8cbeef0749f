# A path that is not there: nothing is written
. "$LIB"
try "$TRACEDB" import nowhere.out
ls
