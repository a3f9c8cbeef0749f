# A script of the user's own is recognised by its program
. "$LIB"
cat >fsync.bt <<'BT'
BEGIN { printf("%-17s %-8s %-10s %s\n", "TIMESTAMP", "PID", "LAT(ns)", "FILENAME"); }
tracepoint:syscalls:sys_exit_fsync { printf("%-17lu %-8d %-10lu %s\n", nsecs, pid, nsecs - @s[tid], str(@f[tid])); }
BT
printf '%-17s %-8s %-10s %s\n' TIMESTAMP PID 'LAT(ns)' FILENAME >fsync.out
printf '%-17d %-8d %-10d %s\n' 1380360142411100 77 1000 ckpt.pt 1380360142422200 77 2000 'my ckpt.pt' >>fsync.out
try "$TRACEDB" import -o x.db fsync.out
try "$TRACEDB" import --layout nosuch.bt -o x.db fsync.out
try "$TRACEDB" import --layout fsync.bt -o x.db fsync.out
try "$TRACEDB" query x.db -f csv 'SELECT op, pid, dur_ns, file FROM calls ORDER BY id'
