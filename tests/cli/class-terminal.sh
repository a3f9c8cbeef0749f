# Terminals are a class of their own, by whatever name, and calls on them are no I/O; what hangs on a serial port is a device
. "$LIB"
cat >t.strace <<E
7 1700000000.100000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3</data/a> <0.100000>
7 1700000001.100000 read(3</data/a>, "", 100) = 100 <0.100000>
7 1700000002.100000 read(0</dev/pts/3<char 136:3>>, "", 100) = 9 <40.000000>
7 1700000043.100000 write(4</dev/tty>, "", 9) = 9 <1.000000>
7 1700000045.100000 write(5</dev/console>, "", 9) = 9 <1.000000>
7 1700000047.100000 write(6</dev/null<char 1:3>>, "", 9) = 9 <0.001000>
7 1700000048.100000 read(7</dev/ttyUSB0>, "", 9) = 9 <0.002000>
7 1700000048.200000 write(8</dev/tty1>, "", 9) = 9 <0.001000>
E
"$TRACEDB" import -q -o t.db t.strace
"$TRACEDB" query -f csv t.db "SELECT path, class, class_known FROM file ORDER BY path"
"$TRACEDB" report io_by_process -f csv --columns pid,reads,read_bytes,writes,write_bytes,total_ns t.db
"$TRACEDB" report io_by_process -f csv --columns reads,writes --param what=all t.db | tail -n 1
"$TRACEDB" report file_io -f csv --by class --columns file,reads,writes,total_ns t.db
"$TRACEDB" report device_class -f csv --columns device,reads,writes t.db
"$TRACEDB" report overview -f csv t.db | grep '^I/O calls'
# bpftrace prints the last component: of a terminal its number
printf '%s\n' 'Attaching 6 probes...' 'TIMESTAMP         PID    FD   RET (B)      LAT(ns)      FILENAME' \
	'1000000000  42 python 4096         5000         0' '1000009000  42 python 4096         5000         x.npy' >read.out
"$TRACEDB" import -q -o r.db read.out
"$TRACEDB" query -f csv r.db "SELECT name, class, class_known FROM file ORDER BY name"
