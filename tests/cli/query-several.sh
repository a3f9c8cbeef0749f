# SQL over several databases as one: rows of each with its run and rank, nothing written, and who cannot be read is named
. "$LIB"
reads rank0 2
reads rank1 3
reads other 1
printf ':::%s {"namespace": "", "time_ms": 1661662800000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1, "rank": 5}}\n' MLLOG >other/train.log
printf ':::%s {"namespace": "", "time_ms": 1661662801000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1, "rank": 5}}\n' MLLOG >>other/train.log
for run in rank0 rank1 other; do "$TRACEDB" import -q $run; done

echo '== 2, 3 and 1 reads of 0.25 s'
try "$TRACEDB" query -f csv rank0.db rank1.db other.db 'SELECT run, rank, count(*) AS calls, sum(done_bytes) AS bytes, sum(dur_ns) AS dur_ns FROM io_calls GROUP BY run, rank ORDER BY run'
try "$TRACEDB" query -f csv -p least=3 rank0.db rank1.db "SELECT run, calls FROM call_stat WHERE by = 'op' AND calls >= :least"
echo '== a row that says its rank, of a run that does not'
try "$TRACEDB" query -f csv rank0.db other.db "SELECT run, s.rank, text FROM span AS s JOIN string AS n USING (run) WHERE n.id = s.name_id AND n.text = 'epoch'"
echo '== every table and view has the rows of all'
"$TRACEDB" query -f tsv rank0.db rank1.db "SELECT name FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite_%'" | tail -n +2 |
	while read -r table; do
		echo "SELECT '$table' WHERE (SELECT count(*) FROM \"$table\") <> (SELECT count(*) FROM db1.\"$table\") + (SELECT count(*) FROM db2.\"$table\") OR (SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('$table', 'temp') LIMIT 2)) <> 'run,rank';"
	done >each.sql
grep -c SELECT each.sql | awk '{ print ($1 > 50) ? "many tables" : "few tables" }'
"$TRACEDB" query -f tsv rank0.db rank1.db <each.sql | grep -vc "^'\|^#\|^$" || true

echo '== runs of one name are called by their paths'
mkdir copy
cp rank0.db copy
try "$TRACEDB" query -f csv rank0.db copy/rank0.db other.db 'SELECT run, rank FROM run ORDER BY run'
echo '== from standard input'
echo 'SELECT count(*) AS n FROM source' | "$TRACEDB" query -f csv rank0.db rank1.db
echo '== nothing is written, nothing else read'
sum=$(cat rank0.db rank1.db | cksum)
for sql in 'DELETE FROM call' 'DELETE FROM db1.call' "ATTACH 'x.db' AS x" 'DETACH db1' 'CREATE TEMP TABLE t (x)'; do
	try "$TRACEDB" query rank0.db rank1.db "$sql"
done
[ "$sum" = "$(cat rank0.db rank1.db | cksum)" ]
echo '== too many, and what cannot be read'
try "$TRACEDB" query rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db rank0.db 'SELECT 1'
try "$TRACEDB" query rank0.db 'SELECT 1' 'SELECT 2'
ln -s rank0.db again.db
try "$TRACEDB" query rank0.db rank1.db ./rank0.db 'SELECT count(*) FROM call'
try "$TRACEDB" query rank0.db again.db 'SELECT count(*) FROM call'
head -c 20000 rank0.db >cut-spoilt.db
sqlite3 foreign.db 'CREATE TABLE t (x)'
cp rank0.db older.db
sqlite3 older.db 'PRAGMA user_version = 0'
cp rank0.db locked.db
{ echo 'BEGIN EXCLUSIVE;'; echo '.print locked'; echo '.system while [ ! -e over ]; do sleep 0.05; done'; } | sqlite3 locked.db >lock.log &
until grep -q locked lock.log 2>/dev/null; do sleep 0.05; done
for db in missing.db cut-spoilt.db foreign.db older.db locked.db; do
	try "$TRACEDB" query rank1.db $db 'SELECT 1' 2>&1
done | sed 's/reads [0-9]*)/reads CURRENT)/'
touch over
wait
