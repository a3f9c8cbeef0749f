# Everything near a moment, which is a time like any other
. "$LIB"
cp -r "$EXAMPLES/stall/run" run
"$TRACEDB" import -q run -o stall.db
"$TRACEDB" report around --at 42.1s --width 3s stall.db
try "$TRACEDB" report around --at 500s stall.db
try "$TRACEDB" report around --at 42 stall.db
# a time of day is that of where the run was: it began at 23:59:35 (UTC-05:00), the read that hung 42.09 s later at 00:00:17.09 of the next day
for time in 00:00:15/00:00:20 23:59:50/23:59:53.5; do
	"$TRACEDB" report slowest --limit 1 --filter-time $time -f csv --columns start_ns,dur_ns,file stall.db 2>/dev/null
done
try "$TRACEDB" report slowest --filter-time 00:01:00/ stall.db
try "$TRACEDB" report slowest --filter-time 25:00:00/ stall.db

# a disk that is read as a device is no terminal: it is there, and is I/O in progress
printf '%s\n' '7 1700000000.000000 openat(AT_FDCWD, "/dev/nvme0n1", O_RDONLY) = 3</dev/nvme0n1> <0.900000>' \
	'7 1700000001.000000 read(3</dev/nvme0n1>, "", 1048576) = 1048576 <1.500000>' \
	'7 1700000003.000000 read(0</dev/pts/0>, "", 9) = 9 <5.000000>' '7 1700000009.000000 read(4</data/a>, "", 9) = 9 <1.000000>' >raw.strace
"$TRACEDB" import -q -o raw.db raw.strace
"$TRACEDB" report -f csv --columns op,file,dur_ns slowest raw.db
"$TRACEDB" report -f csv --columns op,file,dur_ns -p start_ns=0 slowest raw.db
"$TRACEDB" report -f csv --columns what,detail,dur_ns --at 2s around raw.db
"$TRACEDB" report -f csv overview raw.db | grep progress
"$TRACEDB" report -f csv --columns name,op,calls access_pattern raw.db
