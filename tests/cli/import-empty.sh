# Empty files and folders: kept as sources, but alone they are nothing to import
. "$LIB"
mkdir run hollow
trace 5 >run/good.out
: >run/empty.out
try "$TRACEDB" import run
sources run.db
try "$TRACEDB" import run/empty.out
try "$TRACEDB" import hollow
ls
