# Which of three ranks is slow, in which phase, for which cause: examples/sql/ranks/slow_rank.sql
. "$LIB"
# rank N BEGIN END: an epoch from the one second to the other
rank()
{
	printf ':::%s {"namespace": "", "time_ms": %d000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1}}\n' MLLOG "$2" >train.log
	printf ':::%s {"namespace": "", "time_ms": %d000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1}}\n' MLLOG "$3" >>train.log
	"$TRACEDB" import -q -o "rank$1.db" --rank "$1" train.log
	sqlite3 "rank$1.db" "INSERT INTO device (id, kind, number, name) VALUES (1, 'gpu', 0, 'GPU 0')"
}
# idle N CAUSE MIN MAX: what the GPU of the rank idled for in the epoch, in seconds
idle()
{
	sqlite3 "rank$1.db" "INSERT INTO gpu_idle_part VALUES ('epoch 1', NULL, NULL, 1, '$2', 'bounds', 0, $3 * 1000000000, $4 * 1000000000, NULL)"
}
# the clock of rank 1 is an hour ahead, that of rank 2 is a year behind
rank 0 1661662800 1661662810
rank 1 1661666400 1661666413
rank 2 1630126800 1630126810

echo '== rank 1 took 3 s longer; it idled for reads of disks 4 .. 5 s, others 1 .. 2 and 0: longer by 4 - 2 .. 5 - 1 = 2 .. 4 s'
idle 0 'disk read' 1 2
idle 1 'disk read' 4 5
idle 0 'other ranks' 3 4
idle 1 'other ranks' 0 1
idle 2 'other ranks' 3 3
echo '== a cause for which ranges overlap (rank 0: 1 .. 3 s, rank 2: 2 .. 4 s) tells nothing'
idle 0 'file write' 1 3
idle 2 'file write' 2 4
try "$TRACEDB" query -f csv rank0.db rank1.db rank2.db <"$EXAMPLES/sql/ranks/slow_rank.sql"
