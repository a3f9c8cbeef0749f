# Among 200 logs, each with times of its own, three are there twice and two began as others did: those of more than 512 bytes
# are told apart by these, shorter ones can be the begin of any.
# 100 logs of 1 row, 100 of 10; what goes on has 10 and 5 more: 100 + 1000 + 10 + 5 rows.
# Then the same of logs with one heading of 6,000 bytes, 20 of 10 rows:
# one is there twice, of one the first five rows, one goes on to 20, one to 15: 18 * 10 + 20 + 15 rows.
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
mkdir alike
n=0
while [ $n -lt 20 ]; do
	{
		printf '%0100d\n' $(seq 60)
		log $n 10
	} >alike/$((n + 10)).log
	n=$((n + 1))
done
cp alike/13.log alike/copy-of-13.log
{
	cat alike/17.log
	log 7 20 | tail -n 10
} >alike/more-of-17.log
head -n 65 alike/19.log >alike/less-of-19.log # the heading and five rows
{
	cat alike/21.log
	log 11 15 | tail -n 5
} >alike/0-more-of-21.log
try "$TRACEDB" import alike
sqlite3 alike.db "SELECT state, count(*), sum(rows) FROM source GROUP BY state ORDER BY state"
sqlite3 alike.db "SELECT path, detail FROM source WHERE state = 'duplicate' ORDER BY path"
