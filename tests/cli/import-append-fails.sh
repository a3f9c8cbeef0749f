# An append that fails changes nothing
. "$LIB"
trace 5 >a.out
"$TRACEDB" import -o x.db a.out
before=$(cksum x.db)
echo 'nothing that anybody knows' >junk.txt
try "$TRACEDB" import --append -o x.db junk.txt
[ "$before" = "$(cksum x.db)" ] && echo unchanged
ls
