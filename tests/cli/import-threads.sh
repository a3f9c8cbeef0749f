# The file is the same however many threads made it: of rows that make many batches, of several sources, and appended to
. "$LIB"
mkdir run
trace 60000 >run/vfs_rw.out
sed 's/ 4242  / 4343  /' run/vfs_rw.out >run/again.out
trace 5000 >more.out
for n in 1 2 3 8; do
	mkdir $n
	"$TRACEDB" import -q --threads $n run -o $n/run.db
	"$TRACEDB" import -q --threads $n --append more.out -o $n/run.db
	cmp 1/run.db $n/run.db
done
sources 1/run.db
calls 1/run.db

# the events of a profiler, cut in parts of a megabyte, with damage among them and names behind them
awk 'BEGIN {
	print "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": [";
	for (i = 0; i < 30000; i++)
		printf(i == 15000 ? "{\"ph\": },\n" : \
			"{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"n%d\", \"pid\": %d, \"tid\": 7, \"ts\": %d.5, " \
			"\"dur\": 3, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}},\n",
			i % 3 ? "cpu_op" : "kernel", i % 100, i % 3 ? 4242 : 0, 1700000000000000 + i * 10, i);
	print "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4242, \"args\": {\"name\": \"python\"}}]}";
}' >trace.json
for n in 1 2 8; do
	"$TRACEDB" import -q --threads $n trace.json -o $n/trace.db
	cmp 1/trace.db $n/trace.db
done
sources 1/trace.db
sqlite3 1/trace.db "SELECT (SELECT count(*) FROM span), (SELECT count(*) FROM gpu_op), name FROM processes WHERE pid = 4242"
