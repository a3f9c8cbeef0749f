# Machines are told apart: CPUs are not averaged over them, equal pids of two are two processes, and nobody guesses
. "$LIB"
# mpstat HOST BUSY: five seconds of which each CPU is busy for BUSY percent
mpstat()
{
	printf 'Linux 5.4.0 (%s) \t2022-08-28 \t_x86_64_\t(4 CPU)\n\n' "$1"
	printf '05:00:00     %s    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n' CPU
	for second in 1 2 3 4 5; do
		printf '05:00:0%d     all   %d.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   %d.00\n' "$second" "$2" $((100 - $2))
	done
}
# strace_log BYTES: process 7 reads three times
strace_log()
{
	for second in 0 1 2; do
		echo "7 166166280$second.500000 read(3, \"\", 100) = $1 <0.500000>"
	done
}
# show DB: who did what, and which files are of which machine
show()
{
	"$TRACEDB" query -f csv "$1" "SELECT host, pid, calls, done_bytes FROM processes ORDER BY host, done_bytes"
	"$TRACEDB" query -f csv "$1" "SELECT path, host, host_basis FROM source ORDER BY path"
	"$TRACEDB" query -f csv "$1" "SELECT path, kind, effect FROM issue_count JOIN source AS s ON s.id = source_id ORDER BY path"
	"$TRACEDB" report -f csv cpu_util "$1" | cut -d, -f1-4
}

echo '== two machines, and a file of neither folder: 3 x 10, 3 x 20 and 3 x 30 bytes by three processes 7'
mkdir -p run/a run/b/logs
mpstat hostA 10 >run/a/mpstat.txt
mpstat hostB 90 >run/b/mpstat.txt
strace_log 10 >run/a/calls.txt
strace_log 20 >run/b/logs/calls.txt
strace_log 30 >run/calls.txt
try "$TRACEDB" import -q run
show run.db
"$TRACEDB" report -f csv overview run.db | grep -E 'CPU|processes'
"$TRACEDB" report -f csv quality run.db | cut -d, -f1,13,14 | grep unknown
"$TRACEDB" report -f csv io_by_process run.db | cut -d, -f1,2,7
"$TRACEDB" report -f csv file_io --by process run.db | cut -d, -f1,8

echo '== packed'
tar -cf - run | gzip >packed.tar.gz
try "$TRACEDB" import -q -o packed.db packed.tar.gz
"$TRACEDB" query -f csv packed.db "SELECT host, pid, done_bytes FROM processes ORDER BY host, done_bytes"

echo '== one machine: what names none is of it, and nothing says so twice'
rm -r run/b
try "$TRACEDB" import -q -o one.db run
"$TRACEDB" query -f csv one.db "SELECT host, pid, calls, done_bytes FROM processes"
"$TRACEDB" query -f csv one.db "SELECT count(*) FROM issue_count"
"$TRACEDB" report -f csv overview one.db | grep -E 'CPU|processes'

echo '== the other one is appended: pid 7 of either, 3 x 10 + 3 x 30 and 3 x 20 bytes'
mkdir b
mpstat hostB 90 >b/mpstat.txt
strace_log 20 >b/calls.txt
try "$TRACEDB" import -q --append -o one.db b
show one.db

echo '== phases: of each machine the share lies within'
{
	printf ':::%s {"namespace": "", "time_ms": 1661662801000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1}}\n' MLLOG
	printf ':::%s {"namespace": "", "time_ms": 1661662804000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1}}\n' MLLOG
} >train.log
try "$TRACEDB" import -q --append -o one.db train.log
"$TRACEDB" query one.db "SELECT count(*) AS machines, sum(busy_min_ns <= 0.1 * wall_ns AND busy_max_ns >= 0.1 * wall_ns AND busy_max_ns < 0.3 * wall_ns) AS a, sum(busy_min_ns <= 0.9 * wall_ns AND busy_min_ns > 0.7 * wall_ns AND busy_max_ns >= 0.9 * wall_ns) AS b FROM cpu_phase WHERE label = 'epoch 1' AND start_ns IS NOT NULL"
"$TRACEDB" report -f csv phases one.db | python3 -c '
import csv, sys
row = next(csv.DictReader(sys.stdin))
print(row["cpu_busy_pct"] == "", float(row["cpu_busy_min_pct"]) <= 10, float(row["cpu_busy_max_pct"]) >= 90)'

echo '== GPU 1 of either machine, one sampled, one traced'
mkdir -p gpus/a gpus/b
cp "$EXAMPLES"/stall/run/* gpus/a
mpstat hostB 10 >gpus/b/mpstat.txt
cp "$TESTDATA/kineto/2021.json" gpus/b
"$TRACEDB" import -q -o gpus.db gpus
for report in gpu_idle overlap stalls kernel_launch gpu_util "gpu_copies --by gpu"; do
	# shellcheck disable=SC2086 # a report and its option
	echo "$report: $("$TRACEDB" report -f csv --columns gpu,host $report gpus.db 2>/dev/null | sed 1d | sort -u | tr '\n' ' ')"
done
