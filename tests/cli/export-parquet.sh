# Every table as Parquet, in folders by run; what cannot be exported is said, nothing is replaced without --force
. "$LIB"
trace 3 >reads.out
"$TRACEDB" import -q -o x.db reads.out
sqlite3 x.db 'CREATE TABLE mine (a); CREATE TABLE "../up" (a INTEGER) STRICT; CREATE TABLE own (a INTEGER) STRICT; INSERT INTO own VALUES (1)'
try "$TRACEDB" export x.db --run one --to parquet=lake
find lake -name '*.parquet' | sort | sed -n '1,3p;$p'
for file in lake/*/run=one/part-0.parquet; do
	[ "$(head -c 4 "$file")$(tail -c 4 "$file")" = PAR1PAR1 ] || echo "$file"
done
find lake -type f ! -name part-0.parquet

echo "== again"
cksum lake/*/*/* >before
try "$TRACEDB" export -q x.db --run one --to parquet=lake
"$TRACEDB" export -q --force x.db --run one --to parquet=lake
"$TRACEDB" export -q x.db --run two --to parquet=lake
cksum lake/*/run=one/* | cmp - before
find lake/call -type f | sort

echo "== a name of its own, which is the same each time"
try "$TRACEDB" export x.db --to parquet=auto
mkdir other
"$TRACEDB" import -q -o other/x.db reads.out
"$TRACEDB" export -q other/x.db --to parquet=again
[ "$(ls auto/call)" = "$(ls again/call)" ] && echo the same

echo "== names that are none"
try "$TRACEDB" export x.db --run ../up --to parquet=lake
try "$TRACEDB" export x.db --run .up --to parquet=lake
