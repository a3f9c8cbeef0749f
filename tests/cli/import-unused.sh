# A file of which most lines cannot be used makes the import one in part
. "$LIB"
trace 3 >half.out
printf 'what is this\n%.0s' 1 2 3 4 5 6 >>half.out
try "$TRACEDB" import half.out -o half.db
trace 3 >more.out
printf 'what is this\n%.0s' 1 2 3 4 5 6 7 >>more.out
try "$TRACEDB" import more.out -o more.db
sources more.db
