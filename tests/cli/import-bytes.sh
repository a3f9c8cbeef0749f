# Invalid UTF-8 and NUL in a name: the row stays, the text in the database is valid
. "$LIB"
{
	trace 2
	printf '1000000002000000  00:00:00  4242   python         R    5000    4096       4096       caf\351.npy\n'
	printf '1000000003000000  00:00:00  4242   python         R    5000    4096       4096       a\000b.npy\n'
} >bytes.out
try "$TRACEDB" import -o bytes.db bytes.out
sources bytes.db
sqlite3 bytes.db 'SELECT hex(name) FROM file ORDER BY id'
