# A database of system calls as bpftrace text, in both layouts; what comes back is what they have a place for
. "$LIB"
cat >run.strace <<'TXT'
4242  1700000000.000100 openat(AT_FDCWD, "/data/a b.npy", O_RDONLY) = 3</data/a b.npy> <0.000050>
4242  1700000000.500000 read(3</data/a b.npy>, ""..., 65536) = 4096 <0.000200>
4242  1700000001.000000 pwrite64(4</data/out.bin>, ""..., 512, 8192) = 512 <0.000030>
4242  1700000001.100000 openat(AT_FDCWD, "/data/none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000010>
4242  1700000001.200000 read(5<pipe:[77]>, ""..., 10) = -1 EAGAIN (Resource temporarily unavailable) <0.000005>
4242  1700000001.300000 mkdir("/data/new", 0755) = 0 <0.000040>
4242  1700000001.400000 unlink("/data/old\nname") = 0 <0.000060>
4242  1700000001.500000 rmdir("/data/new") = 0 <0.000020>
4242  1700000001.600000 mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3</data/a b.npy>, 0) = 0x7f0000001000 <0.000007>
4242  1700000001.700000 munmap(0x7f0000001000, 4096) = 0 <0.000008>
4242  1700000001.800000 close(3</data/a b.npy>) = 0 <0.000009>
4242  1700000001.900000 futex(0x7f0000002000, FUTEX_WAIT, 1, NULL) = 0 <0.010000>
TXT
try "$TRACEDB" import -q -o x.db run.strace
try "$TRACEDB" export x.db --to bpftrace=dgx1
try "$TRACEDB" export x.db --to bpftrace-split=split
for file in dgx1/* split/*; do
	echo "== $file"
	cat "$file"
done

columns='start_ns - 1700000000000000000, dur_ns, op, pid, fd, ret, asked_bytes, done_bytes, offset_bytes, file'
for db in dgx1 split; do
	echo "== $db, imported again"
	try "$TRACEDB" import -q --clock boot=1699000000000100000 -o $db.db $db
	"$TRACEDB" query $db.db -f csv "SELECT $columns FROM calls ORDER BY id"
done

echo "== a name longer than the kernel keeps, as nsys has them"
cp x.db long.db
sqlite3 long.db "UPDATE process SET name = '/usr/bin/a program of 20 bytes'"
"$TRACEDB" export -q long.db --to bpftrace=long
cat long/vfs_rw.out
"$TRACEDB" import -q --force -o long.db long
"$TRACEDB" query long.db -f csv 'SELECT DISTINCT process FROM calls'

echo "== what cannot be"
try "$TRACEDB" export x.db --to bpftrace=dgx1
try "$TRACEDB" export -q x.db --force --to bpftrace=dgx1
try "$TRACEDB" export x.db --to bpftrce=other
try "$TRACEDB" export x.db --to bpftrace
try "$TRACEDB" export x.db
printf '10:00:01 AM  CPU    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n10:00:02 AM  all    6.34    0.00    2.05    0.51    0.00    0.34    0.00    0.00    0.00   90.76\n' >cpu.out
"$TRACEDB" import -q -o cpu.db cpu.out
try "$TRACEDB" export cpu.db --to bpftrace=none
ls none
