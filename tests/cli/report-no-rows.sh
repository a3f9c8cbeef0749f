# A report that has what it needs and no rows says what that means, also of the part that was asked for
. "$LIB"
# calls that are no I/O; opens without durations; a pipe; a read that fails; a write; a disk without sectors
echo '100 1700000000.000100 brk(NULL) = 0x5000' >brk.txt
printf '100 170000000%s\n' '0.000100 openat(AT_FDCWD, "/a/b", O_RDONLY) = 3' '3.000300 close(3) = 0' >open.txt
echo '100 1700000000.000100 read(3<pipe:[55]>, "abc", 100) = 3 <0.000100>' >pipe.txt
echo '100 1700000000.000100 read(3, 0x7ffff, 100) = -1 EBADF (Bad file descriptor) <0.000100>' >failed.txt
echo '100 1700000000.000100 write(3</data/x>, "abc"..., 100000) = 100000 <0.000100>' >write.txt
cp "$TESTDATA/bpftrace/bio.out" block.txt
cp "$TESTDATA/mpstat/all-tables.txt" cpu.txt
cp "$TESTDATA/nvidia_smi/pmon-date-time.txt" gpu.txt
cp "$TESTDATA/kineto/2021.json" kineto.txt
cp "$TESTDATA/perf_script/samples.txt" sched.txt
cp "$TESTDATA/record/cuda.spool" cuda.txt
sqlite3 nsys.txt <"$TESTDATA/nsys/schema-2.sql"
for trace in *.txt; do
	"$TRACEDB" import -q -o "${trace%.txt}.db" "$trace" 2>import.err || true # cut
done
echo *.db
reports=$("$TRACEDB" report --list --format csv brk.db | sed -n 's/^\([a-z_]*\),.*/\1/p' | grep -vx name | paste -sd,)
for db in *.db; do
	"$TRACEDB" report "$reports" "$db" 2>&1 | grep -n 'no rows' && echo "in $db"
done
echo '-- why'
"$TRACEDB" report slowest,size_hist,latency_hist,cache brk.db
"$TRACEDB" report slowest,latency_hist,small_io open.db
"$TRACEDB" report file_io,io_by_process pipe.db
"$TRACEDB" report block_seek block.db
try "$TRACEDB" report gpu_util cpu.db
try "$TRACEDB" report cpu_util gpu.db
try "$TRACEDB" report phases kineto.db
"$TRACEDB" report gpu_gaps,gpu_sync,nccl,cuda_memory kineto.db
"$TRACEDB" report op_sum,runq nsys.db
echo '-- of a part'
"$TRACEDB" report errors failed.db | sed -n 5p
"$TRACEDB" report errors --param error=ENOENT failed.db | tail -n 1
"$TRACEDB" report errors --limit 5 write.db | tail -n 1
"$TRACEDB" report osrt_sum -f md --filter-time 1s/2s open.db | tail -n 1
"$TRACEDB" report osrt_sum --compat nsys --filter-time 1s/2s open.db
