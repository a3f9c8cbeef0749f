# Rotations of a log that overlap: which of them is right nobody knows, so it is said that calls count twice
. "$LIB"
issues() { sqlite3 "$1" "SELECT s.path, c.effect, c.count, i.text FROM issue_count AS c JOIN source AS s ON s.id = c.source_id
    JOIN issue AS i ON i.source_id = c.source_id AND i.kind = c.kind WHERE c.kind = 'duplicate-calls'"; }
mkdir run
trace 200 >whole
heading=$(grep -n '^[0-9]' whole | head -n 1 | cut -d: -f1)
heading=$((heading - 1))

# calls 1 to 100, and 81 to 200: 20 of them twice
head -n $((heading + 100)) whole >run/a.log
{ head -n $heading whole; tail -n 120 whole; } >run/b.log
try "$TRACEDB" import -q run
issues run.db
sqlite3 run.db 'SELECT count(*) FROM call'

# and reports say that their sums are too high
try "$TRACEDB" report osrt_sum run.db | tail -n 3
"$TRACEDB" report -f csv --columns section,item,value,low,high overview run.db | grep -E 'I/O calls|busiest p'
"$TRACEDB" report -f csv --columns source,advice quality run.db

# the same when it is added, and once only
try "$TRACEDB" import -q -o grown.db run/a.log
try "$TRACEDB" import -q --append -o grown.db run/b.log
issues grown.db
try "$TRACEDB" import -q --append -o grown.db whole
issues grown.db

# nine may be alike by chance
{ head -n $heading whole; tail -n 109 whole; } >run/b.log
try "$TRACEDB" import -q --force -o nine.db run
issues nine.db
sqlite3 nine.db 'SELECT count(*) FROM call'
