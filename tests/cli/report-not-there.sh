# What is asked for and does not exist is an error that names what there is
. "$LIB"
cp -r "$EXAMPLES/stall/run" run
"$TRACEDB" import -q run -o stall.db
try "$TRACEDB" report file_io --phase epoch1 stall.db
try "$TRACEDB" report overlap --phase nope stall.db
try "$TRACEDB" report osrt_sum --pid 99999 stall.db
try "$TRACEDB" report file_io --process pyton stall.db
try "$TRACEDB" report file_io --filter-time 1000s/2000s stall.db
try "$TRACEDB" report file_io --filter-time /2000-01-01T00:00:00Z stall.db
try "$TRACEDB" report file_io --filter-time 5s/4s stall.db
try "$TRACEDB" report file_io --columns '' stall.db
try "$TRACEDB" report gpu_idle --param gpu=9 stall.db
try "$TRACEDB" report overlap --limit 3 stall.db
try "$TRACEDB" report overlap --param at=3s stall.db
try "$TRACEDB" report file_io --by files stall.db
try "$TRACEDB" report block_io --by disk stall.db
try "$TRACEDB" query stall.db 'SELECT :x'
"$TRACEDB" report block_io --help | sed -n '/--by/,/one of/p'
# letters of either case, one and every one of a kind, a role
echo '-- what exists'
"$TRACEDB" report phases -f csv --phase 'EPOCH 2' stall.db | wc -l
"$TRACEDB" report phases -f csv --phase epoch stall.db | wc -l
"$TRACEDB" report phases -f csv --phase 'eval 2' stall.db | wc -l
"$TRACEDB" report file_io -f csv --process data-loader --limit 1 stall.db | wc -l
# of several databases one at least has to have it
echo '-- two databases'
trace 100 >reads.out
"$TRACEDB" import -q reads.out -o reads.db
try "$TRACEDB" report io_by_process -f csv --pid 4242 --limit 0 stall.db reads.db
try "$TRACEDB" report io_by_process --pid 5 stall.db reads.db
try "$TRACEDB" report file_io --phase epoch reads.db
try "$TRACEDB" overview stall.db # a report, not a command
