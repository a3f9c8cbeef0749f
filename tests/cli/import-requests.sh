# Reads and writes by io_uring and io_submit are no calls: strace and perf trace show those that ask for them
. "$LIB"
cat >s.txt <<EOT
7 1700000000.000000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3 <0.000001>
7 1700000000.000010 read(3, "x"..., 4096) = 4096 <0.000001>
7 1700000000.000020 io_uring_setup(8, {flags=0, sq_thread_cpu=0, sq_thread_idle=0, sq_entries=8, cq_entries=16}) = 4 <0.000001>
7 1700000000.000030 io_uring_enter(4, 2, 1, IORING_ENTER_GETEVENTS, NULL, 0) = 2 <0.000001>
7 1700000000.000040 io_uring_enter(4, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) = 0 <0.000001>
7 1700000000.000050 io_uring_enter(4, 1, 0, 0, NULL, 0) = -1 EBUSY (Device or resource busy) <0.000001>
7 1700000000.000060 io_submit(0x7f0000, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3, aio_buf=0x1, aio_nbytes=4096, aio_offset=0}] <unfinished ...>
7 1700000000.000070 <... io_submit resumed>) = 1 <0.000010>
EOT
cat >p.txt <<EOT
     0.010 ( 0.002 ms): fio/7 io_uring_enter(fd: 4, to_submit: 2, min_complete: 1, flags: 1)   = 2
     0.020 ( 0.002 ms): fio/7 read(fd: 3</data/a>, buf: 0x1, count: 4096)                      = 4096
     0.030 ( 0.002 ms): fio/7 io_uring_enter(fd: 4, to_submit: 0, min_complete: 1, flags: 1)   = 0
EOT
for f in s p; do
	"$TRACEDB" import -q -o $f.db $f.txt
	sqlite3 $f.db "SELECT kind, effect, count FROM issue_count; SELECT lines, rows, issues FROM source"
done
try "$TRACEDB" report file_io --columns file,reads,read_bytes s.db
try "$TRACEDB" report quality --columns source,kinds,advice s.db
# disk requests are not missing
try "$TRACEDB" report block_io s.db
