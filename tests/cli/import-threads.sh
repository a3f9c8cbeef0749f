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
