# Without a date times are times of a day, or since boot, and never of 1970
. "$LIB"
printf '%s\n' 'TIMESTAMP         PID      COMM         FUNC         LAT(ns) PATH' \
	'3723004000000     4711     python       openat       1500   /data/a.npy' \
	'3725004000000     4711     python       openat       2500   /data/b.npy' >boot.out
cp "$TESTDATA/bpftrace/bio.out" .
for f in boot bio; do
	"$TRACEDB" import -q $f.out -o $f.db
	"$TRACEDB" report -f csv $f.db | grep '^run,duration'
	"$TRACEDB" info $f.db | sed -n '/^Start/,/^Duration/p'
	try "$TRACEDB" report open_latency,block_io $f.db | grep -c 1970 || true
done
"$TRACEDB" report file_io --filter-time 1s/ -f csv boot.db | cut -d, -f1,4
"$TRACEDB" query boot.db "SELECT start_ns FROM call"
try "$TRACEDB" report file_io --filter-time 3s/ boot.db
try "$TRACEDB" report block_io --filter-time 1s/ bio.db

# of strace without -t not even that is known: what is said of times says so
printf '%s\n' '7 openat(AT_FDCWD, "/a", O_RDONLY) = 3' '7 read(3, "", 9) = 9' >untimed.strace
"$TRACEDB" import -q -o untimed.db untimed.strace
"$TRACEDB" report io_timeline untimed.db | tail -n 2
# the calls are of the first nanoseconds of 1970: nothing is so much a second
printf '%s\n' '7 write(4</a.log>, "", 9) = 9' '7 write(4</a.log>, "", 9) = 9' >>untimed.strace
awk '{ printf "7 1700000000.%03d000%s\n", NR * 100, substr($0, 2) }' untimed.strace >timed.strace
# a trace of something else that tells times does not help
cp "$TESTDATA/nvidia_smi/pmon-date-time.txt" gpu.txt
for name in untimed timed beside; do
	case $name in
	beside) set -- untimed.strace gpu.txt ;;
	*) set -- $name.strace ;;
	esac
	"$TRACEDB" import -q -o rates-$name.db "$@"
	"$TRACEDB" report bandwidth -f csv --columns read_bytes,read_bytes_per_s,read_max_bytes_per_s,write_bytes,write_bytes_per_s rates-$name.db
	"$TRACEDB" report io_timeline -f csv --columns start_ns,dur_ns,read_bytes,read_bytes_per_s,write_bytes,write_bytes_per_s rates-$name.db | head -n 2
	"$TRACEDB" report open_storm -f csv --columns start_ns,dur_ns,opens,per_s rates-$name.db
	"$TRACEDB" report log_writers -f csv --columns writes,writes_per_s rates-$name.db
done 2>/dev/null

echo '== beside a source with dates, what has none is not 54 years before it, and is no part of the run'
mkdir both
cp boot.out both
printf '%s\n' '7 1700000000.100000 read(3, "", 9) = 9 <0.000010>' '7 1700000000.200000 read(3, "", 9) = 9 <0.000010>' >both/dated.strace
try "$TRACEDB" import -q both
"$TRACEDB" report io_by_process both.db
"$TRACEDB" report -f csv both.db | grep '^run,duration'
"$TRACEDB" report slowest -f csv --columns start_ns,op both.db
