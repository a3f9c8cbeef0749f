# A copy reads one file and writes another, and is one call of its process
. "$LIB"
{
	echo '7 1795164892.000001 openat(AT_FDCWD, "/from", O_RDONLY) = 3 <0.000010>'
	echo '7 1795164892.000101 openat(AT_FDCWD, "/to", O_WRONLY|O_CREAT, 0600) = 4 <0.000010>'
	echo '7 1795164892.000201 copy_file_range(3, NULL, 4, NULL, 9223372035781033984, 0) = 5000000 <0.000100>'
	echo '7 1795164892.000401 copy_file_range(3, NULL, 4, NULL, 9223372035781033984, 0) = 0 <0.000010>'
	echo '7 1795164892.000501 sendfile(4, 3, NULL, 1000) = -1 EINVAL (Invalid argument) <0.000010>'
} >strace.out
"$TRACEDB" import -o x.db strace.out
"$TRACEDB" query x.db "SELECT file, verb, sum(done_bytes) AS bytes, count(*) AS calls, sum(dur_ns) AS dur_ns FROM io_calls GROUP BY file, verb ORDER BY file, verb"
"$TRACEDB" query x.db "SELECT pid, calls, done_bytes, total_ns FROM processes"
"$TRACEDB" report -f csv osrt_sum x.db | cut -d, -f2,3,9
