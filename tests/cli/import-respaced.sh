# Rows that went through a program that changes white space are read as before
. "$LIB"
# read PROGRAM...: what the example's bpftrace files hold when the program has rewritten them
read_through()
{
	mkdir respaced
	for f in vfs_rw open bio; do
		"$@" <"$EXAMPLES/stall/run/$f.out" >respaced/$f.out
	done
	"$TRACEDB" import -q respaced -o respaced.db
	sqlite3 respaced.db "SELECT path, layout, rows, skipped, issues, lost_events, clock FROM source ORDER BY path"
	sqlite3 respaced.db "SELECT kind, sum(count) FROM issue_count GROUP BY kind"
	sqlite3 respaced.db "
		SELECT count(*), sum(dur_ns), sum(done_bytes), sum(ret) FROM call;
		SELECT count(*), sum(dur_ns), sum(bytes) FROM block_request;
		SELECT count(*) FROM (SELECT DISTINCT path, name FROM file);
		SELECT count(*), group_concat(name) FROM (SELECT DISTINCT name FROM process ORDER BY name)"
	rm -r respaced respaced.db
}
read_through cat
echo '-- one blank between columns'
read_through tr -s ' '
echo '-- tabs'
read_through sed 's/  */\t/g'
echo '-- wider columns'
read_through sed 's/  */&   /g'
echo '-- in parts'
trace 40000 | tr -s ' ' >long.out
mkdir one four
"$TRACEDB" import -q --threads 1 long.out -o one/long.db
"$TRACEDB" import -q --threads 4 long.out -o four/long.db
cmp one/long.db four/long.db
sources one/long.db
calls one/long.db
