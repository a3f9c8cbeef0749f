# The output is a file that tracedb did not write: it is neither overwritten nor added to
. "$LIB"
trace 5 >a.out
echo 'dear diary' >diary
sqlite3 other.db 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
for output in diary other.db; do
	try "$TRACEDB" import -o $output a.out
	try "$TRACEDB" import --append -o $output a.out
done
cat diary
sqlite3 other.db 'SELECT * FROM t'
ls
