# Who launches work on a GPU is a worker, who reads beside it a loader; where nobody does, nobody is
. "$LIB"
cat >calls.log <<'LOG'
4800  1620000000.000100 read(3</d/a.npy>, ""..., 2000000) = 2000000 <0.000100>
4800  1620000000.000300 read(3</d/a.npy>, ""..., 2000000) = 2000000 <0.000100>
4801  1620000000.000500 read(3</d/labels>, ""..., 4096) = 4096 <0.000010>
LOG
cp "$TESTDATA/kineto/2021.json" .
"$TRACEDB" import -q -o both.db calls.log 2021.json
"$TRACEDB" import -q -o calls.db calls.log
for db in both.db calls.db; do
	sqlite3 $db 'SELECT pid, role, role_basis FROM process ORDER BY pid'
done
