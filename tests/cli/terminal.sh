# On a terminal tables fit: what says nothing is named, not shown; --wide, --all and --columns say otherwise
. "$LIB"
on() { python3 "$(dirname "$LIB")/terminal.py" "$@"; }
trace 30 >a.out
"$TRACEDB" import -q -o x.db a.out
on 100 "$TRACEDB" report file_io x.db
on 60 "$TRACEDB" report file_io x.db | tail -n 4
on 60 "$TRACEDB" report --all file_io x.db | grep -c npy
# who says how many rows has them
on 60 "$TRACEDB" report --limit 22 file_io x.db | grep -c npy
# one row has to fit, too, though all in it is the same in all rows
on 60 "$TRACEDB" report --limit 1 file_io x.db
on 60 "$TRACEDB" report --wide --limit 1 file_io x.db
on 60 "$TRACEDB" report --columns total_ns,file --limit 2 file_io x.db
# what one asks for is shown
on 60 "$TRACEDB" query x.db 'SELECT id, 7 AS seven FROM call' | grep -c ' 7$'
# all of it goes elsewhere
"$TRACEDB" report file_io x.db | grep -c npy
"$TRACEDB" report -f csv --columns reads,file --limit 2 file_io x.db
try "$TRACEDB" report --columns reads,files file_io x.db
try "$TRACEDB" report --columns nosuch file_io x.db
# info is one screen
on 80 "$TRACEDB" info x.db | grep -v -e '^Size' -e '^Schema'
on 80 "$TRACEDB" info --all x.db | grep -c '(info_'
# what names the rows and what they are in order of is there, however many columns stand before it; and notes break between words
on 60 "$TRACEDB" report --limit 1 osrt_sum x.db
sqlite3 x.db "UPDATE source SET lost_events = 3"
on 60 "$TRACEDB" report --limit 2 file_io x.db
# a page that is too wide is one of sections, with all that there is to say
on 60 "$TRACEDB" report overview x.db
# why there are no rows is a line of words, too
on 60 "$TRACEDB" report block_io x.db || true
# of the usual width what a report is asked for is there: bytes, and what was sampled
"$TRACEDB" import -q -o stall.db "$EXAMPLES/stall/run"
on 80 "$TRACEDB" report --limit 1 --process python file_io stall.db | sed -n 3,5p
on 80 "$TRACEDB" report --at 30s around stall.db | sed -n 3,8p
# a title that is too long breaks between words
on 60 "$TRACEDB" report sched_sum x.db | head -n 2 || true
# nor does help break words
on 60 "$TRACEDB" query --help | sed -n '/--align/,/--/p'
on 60 "$TRACEDB" report block_io --help | sed -n '/--by/,/one of/p; /sequential_pct  /,$p'
