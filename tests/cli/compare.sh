# Two runs compared: what changed, conditions for scripts, baselines of several runs, and what cannot be compared
. "$LIB"
run()
{
	python3 -B "$TESTDATA/../compare/pairs.py" play "$1" "$2" "$3"
	"$TRACEDB" import -q -o "$1.db" "$1"
}
run before 1 1
run again 2 1
run slower 3 1.05
for i in 4 5 6 7; do
	run "old$i" "$i" 1
	run "new$i" "1$i" 1.2
done
mkdir history
mv old?.db history
# what leads nowhere, and back, is no run that is missing
ln -s nowhere history/latest
ln -s . history/here
compare() { "$TRACEDB" compare "$@"; }

try compare before.db slower.db
# numbers are numbers; interval and p were compared with scipy's
try compare -f json --columns id,a,b,samples_a,paired,shift,shift_low,shift_high,shift_pct,p,verdict before.db again.db
# of runs, not of rounds: 4 and 4 of them have p = 2/70 at least, which is no evidence where so much is compared
try compare --baseline history new4.db new5.db new6.db new7.db
try compare -f csv --columns id,samples_a,samples_b,verdict --rounds eval before.db slower.db

# conditions
for condition in 'epoch_s > +3%' 'epoch_s > +5%' 'epoch_ns>11' 'epoch_s > 10' 'epoch_s <= 100s' 'read_bytes > 2kb' 'read_bytes_per_s < -5%' \
	'read_total_ms > +5' 'read_of_data_case_npy_by_other_processes_p50_us>=+0.5%'; do
	echo "$condition"
	try compare -o /dev/null --fail-if "$condition" before.db slower.db
done
echo 'chance and a fixed limit'
try compare -o /dev/null --fail-if 'epoch_s > +0.1%' before.db again.db
try compare -o /dev/null --fail-if 'run_s > 100s' before.db again.db

# mistakes
for condition in epoch_s 'epoch_s > fast' 'epok_s > 5%' 'gpu_busy_pct < 3' '> 5'; do
	try compare -o /dev/null --fail-if "$condition" before.db slower.db
done
try compare before.db
try compare
try compare a b c
try compare --baseline before.db
try compare --baseline before before.db
try compare --min-change much before.db slower.db
try compare before.db nowhere.db

# recorded in another way, and with loss
trace 300 >vfs.out
"$TRACEDB" import -q -o vfs.db vfs.out
try compare before.db vfs.db
# as many as a fourth of the rows are lost, one of five events; calls end with the tenth of 20 rounds, the first of
# which is twice as long, 11 of 21; clocks are known less well than a round is long
for doubt in lost short clocks; do cp before.db $doubt.db; done
rows=$(sqlite3 before.db "SELECT rows FROM source WHERE path = 'strace.out'")
sqlite3 lost.db "UPDATE source SET lost_events = $rows / 4 WHERE path = 'strace.out'"
sqlite3 short.db "UPDATE source SET last_ns = (SELECT end_ns FROM phases WHERE name = 'epoch' AND number = 10) WHERE path = 'strace.out'"
sqlite3 clocks.db "UPDATE source SET clock_error_ns = 30000000000 WHERE path = 'mllog.log'"
for doubt in lost short clocks; do
	"$TRACEDB" compare -f csv --columns id,verdict before.db $doubt.db 2>&1 | grep -v '^[a-z0-9_]*,'
done
