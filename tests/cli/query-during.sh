# Calls during intervals that a SELECT gives
. "$LIB"
trace 5 >a.out
"$TRACEDB" import -q -o x.db a.out
sqlite3 x.db 'SELECT id, start_ns - (SELECT min(start_ns) FROM call) AS after_ns, dur_ns FROM call'
during()
{
	try "$TRACEDB" query -f csv x.db "SELECT calls, during_calls, total_ns, during_ns FROM io_stat WHERE by = 'all' AND during = '$1'"
}
first='(SELECT min(start_ns) FROM call)'
# the whole of the first call, 1 us at the end of the second, the fourth from 2 us on and the fifth: 5000 + 1000 + 3000 + 5000
during "SELECT $first, $first + 5000 UNION ALL SELECT $first + 3002000, $first + 9000000 UNION ALL SELECT $first + 1004000, $first + 1500000"
# two that overlap count once, an end that nobody knows not at all
during "SELECT $first + 1000, $first + 3000 UNION ALL SELECT $first + 2000, $first + 4000 UNION ALL SELECT $first, NULL"
during 'SELECT 1, 2 WHERE 0'
# without intervals nothing is known
try "$TRACEDB" query -f csv x.db "SELECT calls, during_calls, during_ns FROM io_stat WHERE by = 'process,verb'"
# what is no such SELECT
for sql in 'SELECT' 'SELECT 1' 'SELECT 1, 2; SELECT 3, 4' 'DELETE FROM call' 'SELECT 5, 4' 'SELECT 1, 2 UNION ALL SELECT 3, 4.5' ''; do
	during "$sql"
done 2>&1
