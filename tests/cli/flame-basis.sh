# How far a flame graph can be trusted: samples, calls that have no stack, events that were lost
. "$LIB"
# of five calls of 100 us three have a stack, of 6 + 3 + 1 us; the time of process 11's is 90 us
cat >run.strace <<'EOF'
10 1700000000.000000 read(3, "", 8) = 0 <0.000006>
 > /bin/x(main+0x1) [0x3]
10 1700000001.000000 read(3, "", 8) = 0 <0.000003>
 > /bin/x(main+0x1) [0x3]
10 1700000002.000000 write(4, "", 8) = 8 <0.000001>
 > /bin/x(save+0x1) [0x2]
11 1700000003.000000 fsync(4) = 0 <0.000050>
11 1700000004.000000 fsync(4) = 0 <0.000040>
EOF
"$TRACEDB" import -q -o x.db run.strace
try "$TRACEDB" flame x.db
"$TRACEDB" flame x.db --from 1s --to 4s | tail -n 1
"$TRACEDB" flame x.db --pid 10 | tail -n 1
sqlite3 x.db "SELECT (SELECT count(*) FROM stack_sample), count(*), (SELECT sum(dur_ns) FROM stack_sample), sum(dur_ns) FROM call" \
	"SELECT count(stack_id), count(*), sum(CASE WHEN stack_id THEN c.dur_ns END), sum(c.dur_ns) FROM call AS c LEFT JOIN stack_sample AS s ON s.thread_id = c.thread_id AND s.start_ns = c.start_ns WHERE c.start_ns BETWEEN 1700000001000000000 AND 1700000003999999999"
# the first of two threads is seen five times, 10 ms after the last time but once; sqrt(ln(40) / (2 * 6)) is 0.5544
i=0
for at in 000 010 020 030 100; do
	i=$((i + 1))
	printf 'prog 7 100.%s000: 1000000 cpu-clock: \n\t%s work+0x%s (/bin/prog)\n\n' $at 5555 $i
done >samples.txt
printf 'prog 8 100.055000: 1000000 cpu-clock: \n\t5555 rest+0x1 (/bin/prog)\n\n' >>samples.txt
"$TRACEDB" import -q -o s.db samples.txt
try "$TRACEDB" flame s.db
sqlite3 s.db "WITH g AS (SELECT start_ns - lag(start_ns) OVER (PARTITION BY thread_id ORDER BY start_ns) AS ns FROM stack_sample) SELECT group_concat(ns) FROM (SELECT ns FROM g WHERE ns IS NOT NULL ORDER BY ns)" \
	"SELECT count(*), printf('%.1f', 100 * sqrt(ln(40) / (2 * count(*)))) FROM stack_sample"
# a sample alone has no distance
"$TRACEDB" flame s.db --from 55ms --to 56ms | tail -n 1
# a tracer that lost some
for db in x s; do
	sqlite3 $db.db 'UPDATE source SET lost_events = 3'
	try "$TRACEDB" flame $db.db
done
"$TRACEDB" flame x.db -o x.html
grep -o '"value_mark":"[^"]*","share_mark":"[^"]*"' x.html
grep -c 'events lost: 3 in run.strace' x.html
# maps of a tool
printf 'main;work 5\nmain 2\n' >maps.folded
"$TRACEDB" import -q -o m.db maps.folded
"$TRACEDB" flame m.db | tail -n 2
# which have no time
try "$TRACEDB" flame m.db --from 2023-11-14T22:13:20Z
