# A clock that is set back is an issue and a break: the run gets no longer by it, nothing lasts across it, all else stays
. "$LIB"
# length DB: of the run, in seconds
length() { sqlite3 "$1" 'SELECT (end_ns - start_ns) / 1e9 FROM run'; }
# issues DB: which, and on which line
issues() { sqlite3 "$1" 'SELECT kind, effect, count, first_line FROM issue_count'; }
# calls_from SECOND N, mm:ss.5 or seconds since the epoch by FORMAT: a call of half a second in each second
calls_from()
{
	for i in $(seq 0 $(($2 - 1))); do
		echo "$1 $i" | awk '{ printf "7 '"$3"' read(3, \"\", 10) = 10 <0.500000>\n", $1 + $2 }'
	done
}
event() { printf ':::%s {"namespace": "", "time_ms": %s000, "event_type": "INTERVAL_%s", "key": "%s", "value": null, "metadata": {"file": "x.py", "lineno": 1, "epoch_num": %s}}\n' MLLOG "$@"; }

echo '== strace: 5 calls from 0.5 s on, the last ends at 5 s; set back by an hour; 5 more from 5 s on, 4.5 s: 9 s'
{
	calls_from 1600000000 5 '%d.500000'
	calls_from 1599996405 5 '%d.500000'
} >epoch.txt
try "$TRACEDB" import -q -o epoch.db epoch.txt
length epoch.db
issues epoch.db
"$TRACEDB" report -f csv quality epoch.db | cut -d, -f1,13,14
sqlite3 epoch.db "SELECT group_concat((start_ns - 1600000000000000000) / 1e9, ' ') FROM (SELECT start_ns FROM call ORDER BY id)"

echo '== the same in local time, where summer ends'
{
	calls_from 55 5 '02:59:%02d.500000'
	calls_from 0 5 '02:00:%02d.500000'
} >summer.txt
try "$TRACEDB" import -q -o summer.db summer.txt
length summer.db
issues summer.db

echo '== two threads: each is in order, and the log is not (strace -z prints a call when it is over)'
printf '%s\n' '7 1600000000.0 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.1>' '8 1600000009.0 read(3, "", 10) = 10 <0.1>' \
	'7 1600000001.0 read(3, "", 10) = 10 <9.0>' '8 1600000010.1 read(3, "", 10) = 10 <0.1>' >threads.txt
try "$TRACEDB" import -q -o threads.db threads.txt
length threads.db
issues threads.db

echo '== epochs 1 to 3 of 10 s, 10 s apart: 50 s; set back by an hour, then epochs 4 to 6: 50 s more'
{
	for i in 0 1 2; do
		event $((1600000000 + i * 20)) START epoch_start $((i + 1))
		event $((1600000010 + i * 20)) END epoch_stop $((i + 1))
	done
	for i in 3 4 5; do
		event $((1599996400 + i * 20)) START epoch_start $((i + 1))
		event $((1599996410 + i * 20)) END epoch_stop $((i + 1))
	done
} >epochs.log
try "$TRACEDB" import -q -o epochs.db epochs.log
length epochs.db
issues epochs.db
"$TRACEDB" report -f csv phases epochs.db | cut -d, -f1,4,6

echo '== set within epoch 2: it has a begin and an end, and no length; the others keep theirs'
{
	event 1600000000 START run_start 0
	event 1600000000 START epoch_start 1
	event 1600000010 END epoch_stop 1
	event 1600000020 START epoch_start 2
	event 1599996430 END epoch_stop 2
	event 1599996440 START epoch_start 3
	event 1599996450 END epoch_stop 3
	event 1599996460 END run_stop 0
} >within.log
try "$TRACEDB" import -q -o within.db within.log
length within.db
issues within.db
sqlite3 within.db "SELECT label, state, start_ns / 1000000000 - 1600000000, dur_ns / 1000000000 FROM phases ORDER BY start_ns, label, state"

echo '== a log of an earlier run behind another one is two runs'
{
	event 1600000000 START run_start 0
	event 1600000100 END run_stop 0
	event 1599990000 START run_start 0
	event 1599990100 END run_stop 0
} >behind.log
try "$TRACEDB" import -q -o behind.db behind.log
issues behind.db
sqlite3 behind.db "SELECT label, state, dur_ns / 1000000000 FROM phases"

echo '== mpstat: 4 periods of a second (of the first line none is known), set back by an hour, then 5'
{
	printf 'Linux 5.4.0 (box) \t2022-08-28 \t_x86_64_\t(4 CPU)\n\n'
	printf '02:59:54     %s    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n' CPU
	for t in 02:59:55 02:59:56 02:59:57 02:59:58 02:59:59 02:00:00 02:00:01 02:00:02 02:00:03 02:00:04; do
		echo "$t     all   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   90.00"
	done
} >mpstat.txt
try "$TRACEDB" import -q -o mpstat.db mpstat.txt
issues mpstat.db
sqlite3 mpstat.db "SELECT count(*), count(DISTINCT ts_ns), (max(ts_ns) - min(ts_ns)) / 1e9, min(dur_ns) / 1e9, max(dur_ns) / 1e9 FROM sample JOIN track AS t ON t.id = track_id WHERE t.name = 'cpu.idle'"

echo '== set forward by an hour: a period of an hour is not known to be one'
sed 's/ 02:00:0/ 03:00:0/; s/^02:00:0/03:59:0/' mpstat.txt >forward.txt
try "$TRACEDB" import -q -o forward.db forward.txt
issues forward.db
sqlite3 forward.db "SELECT count(*), count(dur_ns), max(dur_ns) / 1e9 FROM sample JOIN track AS t ON t.id = track_id WHERE t.name = 'cpu.idle'"

echo '== nvidia-smi pmon'
{
	echo '#Date       Time        gpu        pid  type    sm   mem   enc   dec   command'
	echo '#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %   name'
	for t in 02:59:58 02:59:59 02:00:00 02:00:01; do
		echo " 20220828   $t      0       4711     C    50    10     -     -   python"
	done
} >pmon.txt
try "$TRACEDB" import -q -o pmon.db pmon.txt
issues pmon.db
sqlite3 pmon.db "SELECT count(*), (max(ts_ns) - min(ts_ns)) / 1e9 FROM sample JOIN track AS t ON t.id = track_id WHERE t.name = 'gpu.sm'"

echo '== an end that goes back, but not behind its start, is of another clock'
{
	event 1600000000 START power_start 0
	event 1600000300 START epoch_start 1
	event 1600000400 END epoch_stop 1
	event 1600000200 END power_stop 0
} >power.log
try "$TRACEDB" import -q -o power.db power.log
issues power.db
sqlite3 power.db "SELECT label, state, dur_ns / 1000000000 FROM phases"

echo '== nvidia-smi --query-gpu: 4 samples of two GPUs, a second apart, set back by an hour, 3 more: 3 s, a period, 2 s; a header begins another log'
{
	echo 'timestamp, index, utilization.gpu [%]'
	for t in 02:59:56 02:59:57 02:59:58 02:59:59 02:00:00 02:00:01 02:00:02; do
		echo "2022/08/28 $t.250, 0, 50 %"
		echo "2022/08/28 $t.252, 1, 10 %"
	done
} >query.csv
try "$TRACEDB" import -q -o query.db query.csv
issues query.db
sqlite3 query.db "SELECT device.name, count(*), count(dur_ns), min(dur_ns) / 1e9, max(dur_ns) / 1e9, (max(ts_ns) - min(ts_ns)) / 1e9 FROM sample JOIN track AS t ON t.id = track_id JOIN device ON device.id = device_id GROUP BY 1"
{
	grep -v ' 02:0' query.csv
	echo 'timestamp, index, utilization.gpu [%]'
	grep ' 02:0' query.csv
} >headers.csv
try "$TRACEDB" import -q -o headers.db headers.csv
issues headers.db

echo '== DLIO: two epochs of 60 s, 10 s apart; set back by an hour in the second, then a third of 60 s'
said() { echo "[OUTPUT] 2023-06-27T$1.000000 $2"; }
{
	said 21:00:00 'Starting epoch 1: 42 steps expected'
	said 21:01:00 'Ending epoch 1 - 42 steps completed in 60.00 s'
	said 21:01:10 'Starting epoch 2: 42 steps expected'
	said 20:02:10 'Ending epoch 2 - 42 steps completed in 60.00 s'
	said 20:02:20 'Starting epoch 3: 42 steps expected'
	said 20:03:20 'Ending epoch 3 - 42 steps completed in 60.00 s'
} >dlio.log
try "$TRACEDB" import -q -o dlio.db dlio.log
length dlio.db
issues dlio.db
sqlite3 dlio.db "SELECT label, state, start_ns / 1000000000 - 1687899600, dur_ns / 1000000000 FROM phases ORDER BY start_ns, label, state"

echo '== ranks that write at different speed, and the log of an earlier run behind another'
{
	said 21:00:00 'Running DLIO with 2 process(es)'
	said 21:00:00 'Starting epoch 1: 42 steps expected'
	said 21:00:09 'Rank 0 step 1: loaded 4 samples in 0.5000 s'
	said 21:00:05 'Rank 1 step 1: loaded 4 samples in 0.5000 s'
	said 21:00:10 'Ending epoch 1 - 42 steps completed in 10.00 s'
	said 20:00:00 'Running DLIO with 2 process(es)'
	said 20:00:00 'Starting epoch 1: 42 steps expected'
	said 20:00:10 'Ending epoch 1 - 42 steps completed in 10.00 s'
} >ranks.log
try "$TRACEDB" import -q -o ranks.db ranks.log
length ranks.db
issues ranks.db
