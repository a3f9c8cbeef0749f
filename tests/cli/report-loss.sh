# Which way lost events move a number stands in front of it; what a report does not use is not told there
. "$LIB"
cp -r "$EXAMPLES/stall/run" run
"$TRACEDB" import -q run -o stall.db
"$TRACEDB" report file_io,osrt_sum --limit 2 stall.db
"$TRACEDB" report block_io --limit 1 stall.db
"$TRACEDB" report processes --columns pid,calls,read_bytes,io_ns --limit 1 stall.db
"$TRACEDB" report overlap --phase 'epoch 1' stall.db
"$TRACEDB" report phases --phase 'epoch 1' stall.db
"$TRACEDB" report overview stall.db | tail -9
"$TRACEDB" report stall.db | tail -9
"$TRACEDB" report file_io --limit 1 -f csv stall.db
# a cut line, and nothing lost
trace 3 >cut.out
printf '1000000003000000  00:00' >>cut.out
"$TRACEDB" import -q cut.out -o cut.db || test $? = 4
"$TRACEDB" report io_by_process cut.db
# in words; the fullest buffer is that of the events that took most of theirs, in percent
"$TRACEDB" info stall.db | grep '^Loss'
"$TRACEDB" import -q -o recorded.db "$TESTDATA/record/files.db.spool"
"$TRACEDB" info recorded.db | grep '^Loss'
sqlite3 recorded.db "SELECT round(max(100.0 * ring_peak_bytes / ring_size_bytes)) FROM loss"
