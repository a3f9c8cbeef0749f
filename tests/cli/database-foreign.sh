# What is given as a database is none of ours
. "$LIB"
sqlite3 other.db 'CREATE TABLE t (x)'
echo 'dear diary' >diary
: >empty
mkdir folder
for db in other.db diary empty folder missing.db; do
	try "$TRACEDB" report info $db
	try "$TRACEDB" info $db
done
