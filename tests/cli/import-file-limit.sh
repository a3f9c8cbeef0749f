# A limit on the size of files (ulimit -f) is met like a full disk
. "$LIB"
trace 200000 >large.out
trap '' XFSZ
ulimit -f 6000
try "$TRACEDB" import -o x.db large.out
ls
