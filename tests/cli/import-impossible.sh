# Values that cannot be are issues with their line, and no part of a sum; a sum that is too large says so
. "$LIB"
# texts stand behind a bar, so that this file is not one of them
issues() { sqlite3 "$1" 'SELECT kind, effect, count, first_line FROM issue_count ORDER BY kind'; }

echo '== percentages'
sed 's/^| //' >mpstat.txt <<'TEXT'
| Linux 5.4.0 (h) 	2022-08-28 	_x86_64_	(4 CPU)
| 
| 05:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
| 05:00:01     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00
| 05:00:02     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00 9000.00
| 05:00:03     all  -20.00    0.00    0.00  100.00    0.00    0.00    0.00    0.00    0.00   20.00
TEXT
try "$TRACEDB" import -q -o mpstat.db mpstat.txt
issues mpstat.db
sqlite3 mpstat.db 'SELECT min(value), max(value) FROM sample'

echo '== times beyond 64 bits'
sed 's/^05:00:00/1661662800/; s/^05:00:01/1661662801/; s/^05:00:02/9300000000/; s/^05:00:03/1661662803/' mpstat.txt >epoch.txt
try "$TRACEDB" import -q -o epoch.db epoch.txt
issues epoch.db
trace 3 >a.out
try "$TRACEDB" import -q --clock boot=9000000000000000000 -o a.db a.out

echo '== lost events, error numbers, process ids'
{
	trace 3
	echo 'Lost 18446744073709551615 events'
	echo 'Lost 9223372036854775807 events'
	echo 'Lost 7 events'
} >lost.out
try "$TRACEDB" import -q -o lost.db lost.out
issues lost.db
sqlite3 lost.db 'SELECT lost_events FROM source'
sed 's/^| //' >open.txt <<'TEXT'
| PID    COMM               FD ERR PATH
| 2440   snmpd              -1   -9223372036854775808 /proc/cpuinfo
| -9223372036854775808 snmpd 4   0 /proc/meminfo
| 2441   snmpd              -1   2 /proc/stat
TEXT
try "$TRACEDB" import -q -o open.db open.txt
issues open.db
sqlite3 open.db 'SELECT pid, ret FROM call JOIN process ON process.id = process_id ORDER BY call.id'

echo '== sizes, durations and their sums'
for s in 1 2 3; do
	echo "1 160000000$s.000001 read(3</a>, \"\", 9223372036854775807) = 9223372036854775807 <4000000000.000000>"
	echo "1 160000000$s.000002 write(3</a>, \"\", 1) = 1 <99999999999.000000>"
done >sizes.strace
try "$TRACEDB" import -q -o sizes.db sizes.strace
issues sizes.db
try "$TRACEDB" report -f csv file_io sizes.db
cat >large.strace <<'TEXT'
1 1600000000.000001 read(3</a>, "", 100000000000000000) = 100000000000000000 <0.000001>
TEXT
for i in $(seq 100 199); do sed "s/^1 1600000000/1 1600000$i/" large.strace; done >many.strace
try "$TRACEDB" import -q -o many.db many.strace
try "$TRACEDB" report -f csv file_io many.db
try "$TRACEDB" query many.db 'SELECT sum(done_bytes), sum(1.5), sum(NULL) FROM call'
try "$TRACEDB" query many.db "SELECT sum(value) OVER (ORDER BY value ROWS 1 PRECEDING) AS s FROM json_each('[1,2,9223372036854775807]')"
