# What an output would destroy: inputs, files and devices that are no database of tracedb, databases by results
. "$LIB"
trace 5 >x.log
trace 6 >y.log
try "$TRACEDB" import -q -o x.db x.log
sqlite3 other.db 'CREATE TABLE t (x)'
ln x.log hard.log
ln -s x.log link.log
ln -s nowhere dangling.db
ln -s x.db link.db
mkfifo pipe.db
mkdir folder.db
touch empty.db x.log.lock
sum()
{
	cksum x.log y.log x.db other.db x.log.lock
}
sum >before

for output in x.log hard.log link.log other.db dangling.db pipe.db folder.db /dev/null; do
	try "$TRACEDB" import --force -o $output y.log x.log
done
try "$TRACEDB" import --append -o /dev/null y.log
try "$TRACEDB" import --force -o x.db x.db
# shellcheck disable=SC2094 # that is what must not be
try "$TRACEDB" import --force -o empty.db x.log - <empty.db
[ -c /dev/null ] || echo 'no /dev/null'
for output in x.db link.db other.db; do
	try "$TRACEDB" report -o $output file_io x.db
	try "$TRACEDB" query -o $output x.db 'SELECT 1'
	try "$TRACEDB" export -q --force --to bpftrace=$output x.db
done
sum | diff before - && echo unchanged

# what is ours is replaced, through a link, too; what is empty has nothing to lose
try "$TRACEDB" import --force -o link.db x.log y.log
[ -L link.db ] && calls x.db
try "$TRACEDB" import --force -o empty.db x.log

# names that end as ours once did
mkdir project
touch project/Cargo.lock project/Cargo.tmp project/Cargo.tmp-spill
try "$TRACEDB" import -q -o project/Cargo x.log
ls -A project
