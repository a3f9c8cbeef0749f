# Among 200 logs, each with times of its own, three are there twice and two began as others did: those of more than 512 bytes
# are told apart by these, shorter ones can be the begin of any.
# 100 logs of 1 row, 100 of 10; what goes on has 10 and 5 more: 100 + 1000 + 10 + 5 rows.
. "$LIB"
mkdir run
log() # NUMBER LINES
{
	i=0
	while [ $i -lt "$2" ]; do
		echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": $((1700000000000 + $1 * 1000 + i)), \"event_type\": \"POINT_IN_TIME\", \"key\": \"key$i\", \"value\": $1, \"metadata\": {}}"
		i=$((i + 1))
	done
}
n=100
while [ $n -lt 300 ]; do
	log $n $((1 + n % 2 * 9)) >run/$n.log
	n=$((n + 1))
done
cp run/100.log run/copy-of-100.log # one line
cp run/117.log run/copy-of-117.log # ten lines
cp run/299.log run/copy-of-299.log
log 131 20 >run/more-of-131.log
log 140 6 >run/more-of-140.log
try "$TRACEDB" import run
sqlite3 run.db "SELECT state, count(*), sum(rows) FROM source GROUP BY state ORDER BY state"
sqlite3 run.db "SELECT path, detail FROM source WHERE state = 'duplicate' ORDER BY path"
