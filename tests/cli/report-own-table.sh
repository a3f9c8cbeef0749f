# A report of one's own finds call_stat as all others do, however it writes the name, and beside a report that does not name it
. "$LIB"
mkdir own
cat >own/threads.sql <<'SQL'
-- title: Threads
-- columns: thread_id, calls
-- column: thread_id INTEGER thread
-- column: calls count calls
-- order: thread_id
SELECT thread_id, calls
FROM "CALL_STAT"
WHERE by = 'thread'
ORDER BY thread_id;
SQL
# the first thread makes one call, the second two: the view of the file, which has no calls by thread, would say none
printf '%s\n' '7 1700000000.000000 read(3</data/a>, "", 9) = 9 <0.500000>' '8 1700000001.000000 read(3</data/a>, "", 9) = 9 <0.500000>' \
	'8 1700000002.000000 read(3</data/a>, "", 9) = 9 <0.500000>' >two.strace
"$TRACEDB" import -q -o two.db two.strace
"$TRACEDB" report --report-dir own -f csv threads two.db
"$TRACEDB" report --report-dir own -f csv info_sources,threads two.db | tail -3
