# Tables, views and reports as csv, ndjson and SQL; a database that is made of the SQL is the same one
. "$LIB"
trace 3 >reads.out
"$TRACEDB" import -q -o x.db reads.out
try "$TRACEDB" export x.db --to csv=ops.csv -t op
cat ops.csv
echo "== a view and a report"
try "$TRACEDB" export -q x.db --to ndjson=both.ndjson -t training_runs -r io_by_process
cat both.ndjson
echo "== standard output, for a spreadsheet"
sqlite3 x.db "CREATE VIEW odd AS SELECT '=1+1' AS formula, 'a \"b\", c' AS quoted, NULL AS none, '' AS empty, 0.1 AS tenth"
try "$TRACEDB" export -q x.db --safe-csv --to csv=- -t odd
try "$TRACEDB" export -q x.db --to sql=- -t odd

echo "== the database again"
sqlite3 x.db "CREATE TABLE mine (a TEXT, b); INSERT INTO mine VALUES ('it''s', 9e999), (CAST(x'610062' AS TEXT), 5.0), (NULL, -9223372036854775808), ('', 0.1), ('x', 1e300)"
try "$TRACEDB" export x.db --to sql=x.sql.zst
zstdcat x.sql.zst | sqlite3 again.db
"$TRACEDB" report -f csv osrt_sum again.db >again.csv
"$TRACEDB" report -f csv osrt_sum x.db | cmp - again.csv && echo the same report
for db in x again; do
	sqlite3 $db.db "SELECT a, quote(b), typeof(b) FROM mine; PRAGMA user_version; PRAGMA application_id; PRAGMA page_size" >$db.txt
	sqlite3 $db.db "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY 1" | while read -r name; do
		echo "$name $(sqlite3 $db.db "SELECT * FROM \"$name\"" | cksum)"
	done >>$db.txt
done
cmp x.txt again.txt && echo the same rows

echo "== what cannot be"
try "$TRACEDB" export x.db --to csv=ops.csv -t op
try "$TRACEDB" export x.db --to csv=none
try "$TRACEDB" export x.db --to csv=none -t nothing
try "$TRACEDB" export x.db --to csv=none -r io_by_proces
try "$TRACEDB" export -q x.db --force --to csv=x.db -t op
try "$TRACEDB" export -q x.db --to csv=/dev/full.zst/x -t op
ls none
