# The output exists: refused; replaced with --force; added to with --append
. "$LIB"
trace 5 >a.out
trace 7 >b.out
"$TRACEDB" import -o x.db a.out
try "$TRACEDB" import -o x.db b.out
calls x.db
try "$TRACEDB" import --append -o x.db b.out
sources x.db
try "$TRACEDB" import --force -o x.db b.out
sources x.db
try "$TRACEDB" import --force --append -o x.db b.out
