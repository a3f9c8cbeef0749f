# Names that would steer a terminal, or turn what is written: nothing of them is a command on stderr
. "$LIB"
name=$(printf 'a\033[2J\302\233\342\200\256\377b.log')
echo 'no format at all' >"$name"
try "$TRACEDB" import "$name"
try "$TRACEDB" import "$name-missing"
try "$TRACEDB" info "$name"
try "$TRACEDB" query x.db -f csv --safe-csv --timeunit ms
try "$TRACEDB" formats -f json --safe-csv
