# A file that cannot be written whole: no file of the export is there, those of an earlier one stay
. "$LIB"
trace 50 >few.out
trace 5000 >many.out
"$TRACEDB" import -q -o few.db few.out
"$TRACEDB" import -q -o many.db many.out
"$TRACEDB" export -q few.db --to bpftrace=text
cksum text/* >before
trap '' XFSZ
ulimit -f 100
try "$TRACEDB" export --force many.db --to bpftrace=text
cksum text/* | cmp - before && echo unchanged
try "$TRACEDB" export many.db --to bpftrace=other
ls -A other
