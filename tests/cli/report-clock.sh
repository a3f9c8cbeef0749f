# What a clock does not tell is not said: calls whose time is known to an hour lie in no phase and beside no GPU
. "$LIB"
"$TRACEDB" import -q -o stall.db "$EXAMPLES/stall/run"
show() {
	"$TRACEDB" report overlap -f csv stall.db | grep -E '^gpu|^0,,\(run\)|^0,,epoch,' | cut -d, -f1,3-10 | sed -E 's/[0-9]{6,}/N/g'
	"$TRACEDB" report overview stall.db | grep -c 'idle while I/O' || true
	"$TRACEDB" report phases --phase 'epoch 1' -f csv stall.db | cut -d, -f1-3,8,13,18,26 | sed -E 's/[0-9.]{5,}/N/g'
}
show
for path in vfs_rw.out open.out bio.out; do
	sqlite3 stall.db "UPDATE source SET clock_error_ns = 3600000000000 + length(path) WHERE path = '$path'"
done
show
