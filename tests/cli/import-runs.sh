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
