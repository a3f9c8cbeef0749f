# perf prints threads. Whose they are another source may tell, whichever is read first; what perf calls them is the name of the thread
. "$LIB"
# with a | before each line of perf, so that this file is none of its logs
sed 's/^|//' >trace.txt <<'END'
|     0.000 ( 0.010 ms): worker/300 read(fd: 3</d/x>, buf: 0x7f, count: 100)   = 100
|     1.000 ( 0.010 ms): python3/200 read(fd: 3</d/x>, buf: 0x7f, count: 20)   = 20
|     2.000 ( 0.010 ms): alone/400 read(fd: 3</d/x>, buf: 0x7f, count: 3)   = 3
END
sed 's/^|//' >script.txt <<'END'
|          worker   300 [000]  7002.000000: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7f54, count: 0x00000010
|          worker   300 [000]  7002.000010:  syscalls:sys_exit_read: 0x10
|          worker   300 [000]  7002.100000:  block:block_rq_insert: 254,0 RS 4096 () 100 + 8 [worker]
|          worker   300 [000]  7002.100010:   block:block_rq_issue: 254,0 RS 4096 () 100 + 8 [worker]
|          worker   300 [000]  7002.100100: block:block_rq_complete: 254,0 RS () 100 + 8 [0]
|          worker   300 [000]  7002.200000:     250000 cpu-clock:u: 
|	       f82ad read+0xd (/lib/libc.so.6)
|
END
cat >tasks.strace <<'END'
200 1795717251.000000 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[300]}, 88) = 300 <0.000100>
300 1795717251.100000 read(3, ""..., 4096) = 5 <0.000010>
200 1795717251.200000 read(3, ""..., 4096) = 6 <0.000010>
END
# of process 200: reads of 16 (script), 100 and 20 (trace), 5 and 6 (strace) bytes and a clone3
who()
{
	"$TRACEDB" query -f csv "$1" "SELECT p.pid, p.name,
		(SELECT group_concat(tid || ' ' || ifnull(name, '?'), ', ') FROM (SELECT tid, name FROM thread AS t WHERE t.process_id = p.id ORDER BY tid)) AS threads,
		(SELECT count(*) FROM call WHERE process_id = p.id) AS calls,
		(SELECT sum(done_bytes) FROM call WHERE process_id = p.id) AS bytes,
		(SELECT count(*) FROM block_request WHERE process_id = p.id) AS requests,
		(SELECT count(*) FROM block_request WHERE done_process_id = p.id) AS done,
		(SELECT count(*) FROM stack_sample WHERE process_id = p.id) AS stacks
		FROM process AS p ORDER BY pid"
}

for order in 'trace.txt script.txt tasks.strace' 'tasks.strace trace.txt script.txt' 'script.txt tasks.strace trace.txt'; do
	echo "== $order"
	rm -f order.db
	# shellcheck disable=SC2086 # several names
	"$TRACEDB" import -q -o order.db $order
	who order.db
done

echo '== perf script with both numbers: the last thread does not name the process'
sed 's/^|//' >both.txt <<'END'
|         python3   200/200 [000]  7002.000000: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7f54, count: 0x00000010
|         python3   200/200 [000]  7002.000010:  syscalls:sys_exit_read: 0x10
|          worker   200/300 [000]  7002.000020: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7f54, count: 0x00000010
|          worker   200/300 [000]  7002.000030:  syscalls:sys_exit_read: 0x10
END
"$TRACEDB" import -q -o both.db both.txt
who both.db
