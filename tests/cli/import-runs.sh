# A log of a run and that of its restart are two runs, however they come; logs of ranks are one
. "$LIB"
at() { # at SECONDS KEY [NUMBER]: date -u -d 2023-11-14T22:13:20Z +%s
	echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": $((1700000000000 + $1)), \"key\": \"$2\", \"value\": null, \"metadata\": {${3+\"epoch_num\": $3}}}"
}
run() { # run BEGIN: two epochs of 2 and 3 s
	at "$1" run_start
	at $(($1 + 50)) epoch_start 1
	at $(($1 + 2050)) epoch_stop 1
	at $(($1 + 3000)) epoch_start 2
	at $(($1 + 6000)) epoch_stop 2
	at $(($1 + 6100)) run_stop
}
phases() {
	"$TRACEDB" query "$1" "SELECT run_number AS run, label, dur_ns / 1000000 AS ms, source FROM phases ORDER BY start_ns, dur_ns, source"
}
mkdir logs
run 0 >logs/first.log
run 60000 >logs/second.log
run 60200 >logs/second-rank-1.log
"$TRACEDB" import -o all.db logs
phases all.db
"$TRACEDB" report phases --phase epoch -f csv all.db | cut -d, -f1-6
"$TRACEDB" report overview all.db | grep -E 'runs|epoch'
"$TRACEDB" report info_runs all.db
"$TRACEDB" report phases --run 2 --phase 'epoch 1' -f csv all.db | cut -d, -f1-6
try "$TRACEDB" report phases --run 3 all.db
try "$TRACEDB" report phases --run 2 --filter-time 1s/ all.db

echo "the same one after the other, the last run first"
for log in second first second-rank-1; do
	"$TRACEDB" import -q --append -o appended.db logs/$log.log
done
for db in all appended; do
	for sql in "phase_interval ORDER BY 1, 2" "(SELECT run_number, start_ns, end_ns, logs FROM training_runs)"; do
		"$TRACEDB" query $db.db "SELECT * FROM $sql"
	done >$db.txt
done
cmp all.txt appended.txt

echo "in one file"
cat logs/first.log logs/second.log >one.log
"$TRACEDB" import -o one.db one.log
phases one.db

echo "a clock that is known less well than a phase is long"
strace() { # a second of reads in the first epoch
	for i in 0 1 2 3 4 5 6 7 8 9; do echo "7 170000000$1.${i}00000 read(3, \"\", 10) = 10 <0.050000>"; done
}
mkdir traced
run 0 >traced/train.log
strace 1 >traced/calls.strace
"$TRACEDB" import -q -o traced.db traced
show() {
	"$TRACEDB" report phases -f csv traced.db | cut -d, -f1,6,8,13
	try "$TRACEDB" report file_io --phase 'epoch 1' -f csv traced.db | cut -d, -f1-3
}
show
sqlite3 traced.db "UPDATE source SET clock_error_ns = 2500000000 WHERE path = 'calls.strace'"
show

echo "a run that was traced, and one that was not: nothing is known of its reads"
run 60000 >traced/again.log
"$TRACEDB" import -q -o again.db traced
"$TRACEDB" report phases -f csv again.db | cut -d, -f1,2,6,8,13
