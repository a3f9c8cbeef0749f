# Several databases as one; what cannot be read is named, counted, and stops it or is left out
. "$LIB"
trace 300 >a.out
trace 200 >b.out
for name in a b; do "$TRACEDB" import -q -o $name.db $name.out; done
echo "one report of both:"
try "$TRACEDB" report osrt_sum --merged --columns name,calls,min_ns,max_ns a.db b.db
echo "in steps it is the same:"
for name in a b; do "$TRACEDB" report osrt_sum --partial -o $name.partial $name.db; done
"$TRACEDB" merge -o ab a.partial b.partial
"$TRACEDB" merge -o ba b.partial a.partial
cmp ab ba && echo same
"$TRACEDB" report osrt_sum --partial b.db a.db | cmp - ab && echo same
"$TRACEDB" report --from-partial -f csv ab >in-steps
"$TRACEDB" report osrt_sum --merged -f csv b.db a.db | cmp - in-steps && echo same
echo "twice is once:"
try "$TRACEDB" merge -o twice ab b.partial a.partial 2>&1 | sort
cmp twice ab && echo same
"$TRACEDB" report osrt_sum --partial -o c.partial b.db a.db
trace 10 >d.out
"$TRACEDB" import -q -o d.db d.out
"$TRACEDB" report osrt_sum --partial -o bd.partial b.db d.db
try "$TRACEDB" merge -o overlap ab bd.partial
echo "a database, a copy of it, a partial that is given twice, too: told of, and not among those that are expected:"
cp a.db copy.db
try "$TRACEDB" report osrt_sum --merged --columns name,calls a.db a.db b.db copy.db 2>twice.log | grep -v percentiles
sed "s/'.*'/(one of the three)/" twice.log
"$TRACEDB" report osrt_sum --partial -o aab.partial a.db a.db b.db copy.db 2>/dev/null
cmp aab.partial ab && echo same
"$TRACEDB" report osrt_sum --partial -o copy.partial copy.db
"$TRACEDB" merge -o copies copy.partial b.partial a.partial 2>/dev/null
cmp copies ab && echo same, whichever came first
try "$TRACEDB" report --from-partial --columns name,calls a.partial a.partial b.partial 2>&1 | grep -v percentiles
try "$TRACEDB" merge -o new --expect 3 a.partial a.partial b.partial 2>&1
try "$TRACEDB" report osrt_sum --merged --expect 3 --keep-going --columns name,calls a.db a.db b.db 2>/dev/null | grep -v percentiles
echo "what cannot be read:"
head -c 20000 a.db >cut-spoilt.db
sqlite3 foreign.db 'CREATE TABLE t (x)'
cp b.db older.db
sqlite3 older.db 'PRAGMA user_version = 0'
cp b.db locked.db
{ echo 'BEGIN EXCLUSIVE;'; echo '.print locked'; echo '.system while [ ! -e over ]; do sleep 0.05; done'; } | sqlite3 locked.db >lock.log &
until grep -q locked lock.log 2>/dev/null; do sleep 0.05; done
for db in missing.db cut-spoilt.db foreign.db older.db locked.db; do
	try "$TRACEDB" report osrt_sum --merged a.db $db 2>&1
done 2>&1 | sed 's/reads [0-9]*)/reads CURRENT)/'
try "$TRACEDB" report osrt_sum --merged --keep-going --columns name,calls a.db missing.db cut-spoilt.db foreign.db older.db locked.db 2>/dev/null
touch over
wait
echo "a partial of another version, a damaged one, another report:"
zstdcat ab | sed '1s/"tracedb_partial":3/"tracedb_partial":1/' | zstd -q -o version
head -c 200 ab >half
zstdcat ab | sed '$d' | zstd -q -o end
for p in version half end a.db; do try "$TRACEDB" merge -o new ab $p 2>&1; done | sed 's/schema [0-9]*/schema N/g'
"$TRACEDB" report osrt_sum --pid 1 --partial -o other.partial a.db
try "$TRACEDB" merge -o new ab other.partial 2>&1
try "$TRACEDB" report osrt_sum --merged a.db other.partial 2>&1
try "$TRACEDB" report --from-partial ab gone.partial 2>&1
try "$TRACEDB" report --from-partial --keep-going --columns name,calls ab gone.partial 2>&1
[ -e new ] || echo "there is no new"
echo "some rows of a partial:"
"$TRACEDB" report file_io --partial -o files.partial a.db
"$TRACEDB" report --from-partial --limit 3 -f csv --columns file,reads files.partial 2>&1
"$TRACEDB" report file_io --from-partial --limit 3 -f csv --columns file,reads files.partial 2>&1 | wc -l
rm files.partial
echo "a node that never answers:"
try "$TRACEDB" merge -o new --expect 3 a.partial b.partial
try "$TRACEDB" merge -o new --expect 3 --keep-going a.partial b.partial
try "$TRACEDB" report --from-partial --expect 3 --keep-going --columns name,calls new
mkfifo fifo.db fifo.partial
try timeout 60 "$TRACEDB" report osrt_sum --merged a.db fifo.db 2>&1
try timeout 60 "$TRACEDB" report osrt_sum --merged --keep-going --columns name,calls a.db fifo.db 2>&1 | grep -v percentiles
try timeout 60 "$TRACEDB" merge -o new a.partial fifo.partial 2>&1
try timeout 60 "$TRACEDB" merge -o new --keep-going --expect 2 a.partial fifo.partial 2>&1
try "$TRACEDB" report --from-partial --columns name,calls new | grep -v percentiles
rm new
echo "no room: nothing is left that looks like a result, and what was there before is as it was:"
trap '' XFSZ
(ulimit -f 0 && try "$TRACEDB" merge -o full ab 2>&1)
(ulimit -f 0 && try "$TRACEDB" report osrt_sum --partial -o full a.db b.db 2>&1)
(ulimit -f 0 && try "$TRACEDB" report osrt_sum --merged -o full a.db b.db 2>&1)
[ -e full ] || echo "there is no full"
cp ab old
(ulimit -f 0 && try "$TRACEDB" report osrt_sum --partial -o old a.db 2>&1)
cmp old ab && echo same
{ "$TRACEDB" report osrt_sum --partial a.db >/dev/full || echo "exit $?" >&2; } 2>&1
{ "$TRACEDB" merge ab >/dev/full || echo "exit $?" >&2; } 2>&1
find . -mindepth 1 -maxdepth 1 ! -name '*.db' ! -name '*.out' ! -name '*.log' | sed 's,^./,,' | sort | tr '\n' ' '
echo
echo "a report that cannot be put together:"
try "$TRACEDB" report slowest --merged a.db b.db
try "$TRACEDB" report op_sum --merged a.db b.db
"$TRACEDB" import -q -o copies.db "$TESTDATA/kineto/2021.json"
echo "that asks what partials do not hold, where a database without copies would be asked nothing:"
"$TRACEDB" report gpu_copies -f csv --columns operation,copies copies.db
for report in gpu_copies cuda_gpu_mem_size_sum; do try "$TRACEDB" report $report --merged copies.db; done
try "$TRACEDB" report osrt_sum --merged --partial a.db
echo "idle time of GPUs is that of the database:"
"$TRACEDB" import -q -o stall.db "$EXAMPLES/stall/run"
columns=gpu,phase,cause,precedence,wall_ns,basis,idle_min_ns,idle_max_ns,narrow
"$TRACEDB" report gpu_idle -f csv --columns $columns stall.db 2>/dev/null | sort >idle
"$TRACEDB" report gpu_idle --merged -f csv --columns $columns stall.db 2>/dev/null | sort >merged
cmp idle merged && sed 1q merged && wc -l <merged
echo "rows of each report of the database, and of the same put together:"
for report in access_pattern checkpoint cpu_by_process cuda_api_sum file_io gpu_idle io_by_process latency_hist log_writers open_latency osrt_sum process_tree processes size_hist small_io \
	sync_sum workers 'workers --by phase' 'workers --pid 1041355'; do
	# the options are words
	# shellcheck disable=SC2086
	echo "$report: $("$TRACEDB" report $report -f csv stall.db 2>/dev/null | wc -l) $("$TRACEDB" report $report --merged -f csv stall.db 2>/dev/null | wc -l)"
done
# The hashes of reports in their heads may be old: only who prints a report looks at them. They are made anew, where examples/stall/run is, by
#     tracedb import -o stall.db run
#     tracedb report file_io osrt_sum gpu_idle --top 6 --partial -o s stall.db && zstdcat s >stall.txt
#     tracedb report io_by_process --phase epoch --top 3 --partial -o p stall.db && zstdcat p >phase.txt
echo "seeds of the fuzz target are of this version, else it would read no further than their heads:"
for seed in "$TESTDATA"/partial/*.txt; do
	zstd -q -f -o seed.partial "$seed"
	try "$TRACEDB" merge -o new seed.partial 2>&1
done
echo "a grouping of nothing is damage:"
sed 's/"by":\["op"\]/"by":["op",""]/' "$TESTDATA/partial/stall.txt" | zstd -q -f -o seed.partial
try "$TRACEDB" merge -o new seed.partial 2>&1
