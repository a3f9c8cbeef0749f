# What is counted adds up, and what is no input is said: lines, unknown files, folders without a name, devices, a full disk
. "$LIB"
echo "== a record with two bad lines is two issues, a span that cannot be is one"
sed 's/^|//' >two.json <<'EOF'
|{"type": "printf", "data": "PID    COMM               FD ERR PATH\n"}
|{"type": "printf", "data": "253402300800000000000   python3             5   0 /data/new\nline\n"}
EOF
echo ':''::MLL 4294967296 eval_start: {"value": null, "metadata": {"epoch_num": 2, "lineno": 274, "file": "/data/x"}}' >span.log
for file in two.json span.log; do
	try "$TRACEDB" import -q $file
	sources $file.db
	sqlite3 $file.db "SELECT kind, effect, count FROM issue_count"
done

echo "== two identical unknown files are like one"
mkdir unknown
echo 'dear diary' >unknown/a
try "$TRACEDB" import unknown
cp unknown/a unknown/b
try "$TRACEDB" import unknown

echo "== the folder above has a name"
mkdir -p above/here
trace 5 >above/a.out
(
	cd above/here || exit
	try "$TRACEDB" import -q ..
	try "$TRACEDB" import -q --force ../here/..
)
ls -A . above above/here

echo "== devices"
try "$TRACEDB" import -o x.db /dev/zero
try "$TRACEDB" import -o x.db - </dev/zero

echo "== a full disk"
"$TRACEDB" formats >/dev/full || echo "exit $?"
try "$TRACEDB" formats --format csv nonsense
