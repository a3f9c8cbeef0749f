# What is said of time is what the files tell: no duration of an order, seconds known to a second, one source on its own clock
. "$LIB"
cat >tt.strace <<E
100 12:00:01.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3
100 12:00:02.250000 read(3, "x"..., 4096) = 4096
100 12:00:05.500000 close(3) = 0
E
sed 's/^100 [0-9:.]* /100 /' tt.strace >order.strace
sed 's/\.[0-9]* / /' tt.strace >t.strace
# the last call ends between two seconds, by its duration
sed 's/$/ <0.250000>/' t.strace >t-T.strace
sed 's/^100 12:00:0/100 166171680/; s/$/ <0.250000>/' t.strace >ttt0-T.strace
printf '%s\n' 'TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME' \
	'12:00:01 python         100    R 4096    0           1.50 a.npy' \
	'12:00:02 python         100    R 4096    4           2.25 a.npy' >ext4.out
for f in tt order t t-T ttt0-T ext4; do
	echo "== $f"
	"$TRACEDB" import -q --tz +00:00 --date 2022-08-28 -o $f.db $f.strace 2>/dev/null || "$TRACEDB" import -q --tz +00:00 --date 2022-08-28 -o $f.db $f.out
	"$TRACEDB" query -f csv $f.db 'SELECT clock, clock_error_ns FROM source' | tail -n 1
	# none of them is what the next line began after
	"$TRACEDB" query -f csv $f.db 'SELECT group_concat(dur_ns) AS dur_ns FROM call' | tail -n 1
	"$TRACEDB" query -f csv $f.db 'SELECT kind, count FROM issue_count' | tail -n +2
	"$TRACEDB" report overview -f csv $f.db | grep -E '^run,duration|^trust,(largest|sources)' || true
	"$TRACEDB" report info -f csv --columns count_from,dur_ns $f.db | tail -n 1
done

echo '== the last thing that is seen is the end of a call'
printf '%s\n' '7 1700000001.000000 read(3,  <unfinished ...>' '8 1700000002.000000 write(4, "x", 1) = 1' \
	'7 1700000005.500000 <... read resumed>"x"..., 9) = 9' >ends.strace
"$TRACEDB" import -q -o ends.db ends.strace
"$TRACEDB" report overview -f csv ends.db | grep '^run,duration'

echo '== without a zone and a date'
"$TRACEDB" import -q -o lone.db tt.strace
"$TRACEDB" report overview -f csv lone.db | grep -E '^run,duration|^trust,(largest|sources)'
"$TRACEDB" report quality -f csv --columns advice lone.db | tail -n 1
mkdir two
cp tt.strace two
printf '%s\n' '7 1700000000.100000 read(3, "", 9) = 9' '7 1700000005.100000 read(3, "", 9) = 9' >two/ttt.strace
"$TRACEDB" import -q -o two.db two || true
"$TRACEDB" report overview -f csv two.db | grep -E '^run,duration|^trust,(largest|sources)'

echo '== a fraction that happens to be 0 at the first and the last, or in the only one; and what is whole seconds'
mllog() {
	printf '%s {"namespace": "", "time_ms": %s, "event_type": "%s", "key": "epoch_start", "value": null, "metadata": {"epoch_num": %s}}\n' "$@"
}
m=:::MLLOG
mllog $m 1700000000000 INTERVAL_START 1 $m 1700000002500 INTERVAL_END 1 $m 1700000003000 INTERVAL_START 2 $m 1700000005000 INTERVAL_END 2 >half.log
mllog $m 1700000000000 INTERVAL_START 1 $m 1700000002000 INTERVAL_END 1 >whole.log
printf '%s\n' '7 1700000009.000000 read(3, "", 9) = 0' >one.strace
printf '%s\n' '7 1700000009 read(3, "", 9) = 0' >whole.strace
"$TRACEDB" import -q -o zero.db half.log
"$TRACEDB" import -q --append -o zero.db whole.log one.strace whole.strace
"$TRACEDB" query -f csv zero.db 'SELECT path, clock_error_ns FROM source ORDER BY id'

echo '== samples are of the time before them'
printf '%s\n' 'Linux 5.4.0 (node1) 	08/28/22 	_x86_64_	(2 CPU)' '' \
	'20:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle' \
	'20:00:05     all    6.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   93.00' \
	'20:00:10     all    6.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   93.00' >mpstat.txt
"$TRACEDB" import -q -o mpstat.db mpstat.txt
"$TRACEDB" report overview -f csv mpstat.db | grep -E '^run,duration|^CPU'

echo '== samples without times, of which a second each is assumed; a table of which only the order is known'
printf '%s\n' '# gpu    pwr  gtemp' '# Idx      W      C' '    0     80     40' '    0     90     41' '    0     90     41' >dmon.txt
"$TRACEDB" import -q -o dmon.db dmon.txt
"$TRACEDB" report overview -f csv dmon.db | grep '^run,duration'
printf '%s\n' 'COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME' 'python         100    R 4096    0           1.50 a.npy' \
	'python         100    R 4096    4           2.25 a.npy' >slow.out
"$TRACEDB" import -q -o slow.db slow.out
"$TRACEDB" query -f csv slow.db 'SELECT kind FROM issue_count' | tail -n 1
"$TRACEDB" report overview -f csv slow.db | grep '^run,duration'
