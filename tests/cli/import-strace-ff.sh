# strace -ff: a file for each thread. Whose thread it is does not depend on the order in which the files are read
. "$LIB"
file() # file TID: its lines from stdin, a time stamp before each
{
	awk -v at="${first:?}" '{ printf "%.6f %s\n", at + NR / 1000, $0 }' >"ff/log.$1"
}
thread() # thread TID: what makes it
{
	echo "clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[$1]}, 88) = $1 <0.000100>"
}
child()
{
	echo "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f) = $1 <0.000100>"
}
exited="+++ exited with"
mkdir ff
# numbers wrap at 32768: 32762 made 300, which made 304, which made the process 10003; and 9998 has one digit less than its thread
first=1795717251.0 && file 32762 <<END
execve("/bin/prog", ["prog"], 0x7ffd /* 40 vars */) = 0 <0.000100>
$(thread 300)
$(child 9998)
read(3, ""..., 4096) = 1000 <0.000010>
$exited 7 +++
END
first=1795717251.1 && file 300 <<END
set_robust_list(0x7f22528249a0, 24) = 0 <0.000001>
$(thread 304)
read(3, ""..., 4096) = 200 <0.000010>
$exited 0 +++
END
first=1795717251.2 && file 304 <<END
read(3, ""..., 4096) = 30 <0.000010>
$(child 10003)
--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=10003, si_uid=0, si_status=SIGKILL, si_utime=0, si_stime=0} ---
$exited 0 +++
END
first=1795717251.3 && file 9998 <<END
execve("/bin/other", ["other", "x"], 0x7ffd /* 40 vars */) = 0 <0.000100>
$(thread 10001)
read(3, ""..., 4096) = 4 <0.000010>
$exited 3 +++
END
first=1795717251.4 && file 10001 <<END
read(3, ""..., 4096) = 50 <0.000010>
$exited 0 +++
END
first=1795717251.5 && file 10003 <<END
read(3, ""..., 4096) = 6 <0.000010>
+++ killed by SIGKILL +++
END
who()
{
	"$TRACEDB" query -f csv "$1" "SELECT p.pid, p.name, p.parent_pid, p.exit_status,
		(SELECT group_concat(tid, ' ') FROM (SELECT tid FROM thread AS t WHERE t.process_id = p.id ORDER BY tid)) AS threads,
		(SELECT count(*) FROM call WHERE process_id = p.id) AS calls,
		(SELECT sum(done_bytes) FROM call WHERE process_id = p.id) AS bytes,
		(SELECT group_concat(name, ' ') FROM (SELECT s.text AS name FROM mark AS m JOIN string AS s ON s.id = m.name_id WHERE m.process_id = p.id ORDER BY name)) AS marks
		FROM process AS p ORDER BY pid"
	"$TRACEDB" report processes -f csv --columns pid,name,calls,read_bytes "$1" 2>/dev/null
}
same() # same NAME DB
{
	who "$2" | diff known.txt - && echo "$1: same"
}

"$TRACEDB" import -q -o known.db ff/log.32762 ff/log.300 ff/log.304 ff/log.9998 ff/log.10001 ff/log.10003
who known.db | tee known.txt
for order in '300 304 9998 10001 10003 32762' '10003 10001 9998 304 300 32762' '304 32762 300 10003 10001 9998' '10001 304 10003 300 9998 32762'; do
	files=
	for tid in $order; do
		files="$files ff/log.$tid"
	done
	rm -f order.db
	# shellcheck disable=SC2086 # several names
	"$TRACEDB" import -q -o order.db $files && same "$order" order.db
	# shellcheck disable=SC2086
	tar cf ff.tar $files
	rm -f order.db
	"$TRACEDB" import -q -o order.db ff.tar && same "$order, in an archive" order.db
done
"$TRACEDB" import -q -o folder.db ff && same 'the folder' folder.db

echo '== without time stamps'
for file in ff/*; do
	sed -i 's/^[0-9.]* //' "$file"
done
rm -f folder.db
"$TRACEDB" import -q -o folder.db ff && same 'the folder' folder.db

echo '== times of day: 1000 begins behind the midnight that 999 saw, and is read after it in a folder'
mkdir night
cat >night/log.999 <<END
23:59:59.500000 $(child 1000)
00:00:01.000000 read(3, ""..., 4096) = 1 <0.000010>
END
echo '00:00:00.500000 read(3, ""..., 4096) = 2 <0.000010>' >night/log.1000
"$TRACEDB" import -q --date 2026-11-26 --tz +00:00 -o night.db night
"$TRACEDB" query -f csv night.db "SELECT pid, datetime(start_ns / 1000000000, 'unixepoch') AS at, done_bytes FROM calls WHERE done_bytes ORDER BY start_ns"

echo '== descriptors go to who is made: all to a process, to a thread those that its maker has left alone'
mkdir fds
cat >fds/log.50 <<END
1795717251.001 execve("/bin/prog", ["prog"], 0x7ffd /* 40 vars */) = 0 <0.000100>
1795717251.002 openat(AT_FDCWD, "/d/kept", O_RDONLY|O_CLOEXEC) = 3 <0.000010>
1795717251.003 openat(AT_FDCWD, "/d/closed", O_RDONLY) = 4 <0.000010>
1795717251.004 openat(AT_FDCWD, "/d/other", O_RDONLY) = 5 <0.000010>
1795717251.005 $(child 51)
1795717251.006 $(thread 52)
1795717251.007 close(4) = 0 <0.000010>
1795717251.008 close(5) = 0 <0.000010>
1795717251.009 openat(AT_FDCWD, "/d/another", O_RDONLY) = 5 <0.000010>
END
reads() # reads at seconds in $1, 1, 2, 4, 8 and 16 bytes
{
	for fd in 3 4 5; do
		echo "1795717251.$1$fd read($fd, ..., 4096) = $((1 << (fd - 3))) <0.000010>"
	done
}
reads 01 >fds/log.51
{
	reads 02
	echo '1795717251.025 execve("/bin/other", ["other"], 0x7ffd /* 40 vars */) = 0 <0.000100>'
	reads 03
} >>fds/log.51
{
	reads 04
	echo "1795717251.045 $(thread 53)"
} >fds/log.52
reads 05 >fds/log.53
# another run, whose 51 is not of this 50
mkdir fds/second
reads 06 >fds/second/log.51
files()
{
	"$TRACEDB" query -f csv "$1" "SELECT t.tid, c.start_ns / 10000000 % 100 AS at, group_concat(c.done_bytes, ' ') AS bytes, group_concat(coalesce(f.path, '?'), ' ') AS files
		FROM (SELECT * FROM call WHERE done_bytes > 0 ORDER BY start_ns) AS c JOIN thread AS t ON t.id = c.thread_id LEFT JOIN file AS f ON f.id = c.file_id GROUP BY 1, 2 ORDER BY 2"
}
"$TRACEDB" import -q -o fds.db fds
files fds.db
echo '== packed one by one, the numbers are still those of the threads'
gzip fds/log.* fds/second/log.*
rm fds.db
"$TRACEDB" import -q -o fds.db fds
files fds.db
