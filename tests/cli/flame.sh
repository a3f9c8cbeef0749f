# Where the time went by stacks: a tree, folded stacks, filters, and what cannot be asked
. "$LIB"
# main calls load, which reads for 6 us and 3 us, and save, which writes for 1 us; another process has one call of 10 us
cat >run.strace <<'END'
10 1700000000.000000 read(3, "", 8) = 0 <0.000006>
 > /lib/libc.so(read+0x1) [0x1]
 > /bin/x(load+0x1) [0x2]
 > /bin/x(main+0x1) [0x3]
10 1700000001.000000 read(3, "", 8) = 0 <0.000003>
 > /lib/libc.so(read+0x1) [0x1]
 > /bin/x(load+0x7) [0x2]
 > /bin/x(main+0x1) [0x3]
10 1700000002.000000 write(4, "", 8) = 8 <0.000001>
 > /lib/libc.so(write+0x1) [0x1]
 > /bin/x(save;all+0x1) [0x2]
 > /bin/x(main+0x2) [0x3]
11 1700000003.000000 futex(0x1, FUTEX_WAIT, 1, NULL) = 0 <0.000010>
 > /lib/libc.so() [0x1]
11 1700000004.000000 brk(NULL) = 0
 > /bin/x(main+0x1) [0x3]
END
"$TRACEDB" import -q -o x.db run.strace
try "$TRACEDB" flame x.db
try "$TRACEDB" flame x.db --limit 2
try "$TRACEDB" flame x.db --count --pid 10
try "$TRACEDB" flame x.db -o x.folded
cat x.folded
try "$TRACEDB" flame x.db --from 1s --to 2s -o y.folded
cat y.folded
try "$TRACEDB" flame x.db --pid 11 -o y.folded
cat y.folded
for wrong in '--what stack' '--what cpu' '--what totals' '--what totals --pid 10' '--pid 12' '--phase epoch' '--limit 0' '-o x.png' '--from 2.5s --to 2.6s'; do
	# shellcheck disable=SC2086 # several words
	try "$TRACEDB" flame x.db $wrong
done
# without names the times are the same, and no function of the program is named
"$TRACEDB" export -q x.db --redact --to sqlite=redacted.db 2>/dev/null
"$TRACEDB" flame redacted.db -o z.folded
awk '{ sum += $NF } END { print sum }' z.folded
grep -c 'load\|save\|/x' z.folded || true
# a stack of a damaged database may go in a circle
cp x.db spoilt.db
sqlite3 spoilt.db 'UPDATE stack SET parent_id = (SELECT max(id) FROM stack) WHERE parent_id IS NULL'
"$TRACEDB" flame spoilt.db >/dev/null
trace 1 >none.out
"$TRACEDB" import -q -o none.db none.out
try "$TRACEDB" flame none.db
