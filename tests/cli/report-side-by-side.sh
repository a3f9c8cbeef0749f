# Reports of several databases as one table: the rows of each with its run and rank, nothing added up
. "$LIB"
reads rank0 2
reads rank1 3
for run in rank0 rank1; do "$TRACEDB" import -q $run; done
"$TRACEDB" import -q -o stall.db "$EXAMPLES/stall/run"

echo '== 2 and 3 reads of 0.25 s; only of the third are events missing'
try "$TRACEDB" report osrt_sum --side-by-side -f csv --columns run,rank,name,calls,total_ns,p95_ns rank0.db rank1.db
try "$TRACEDB" report osrt_sum --side-by-side --columns run,rank,name,calls rank0.db stall.db
echo '== of each report the rows are those of the reports of each, in their order'
python3 - <<'END'
import json, os, subprocess, sys
def run(*args):
    done = subprocess.run([os.environ['TRACEDB'], 'report', '-f', 'json', *args], capture_output=True)
    return json.loads(done.stdout) if done.returncode in (0, 3) else sys.exit(f'{args}: {done.stderr}')
ranks = {'rank0.db': 0, 'rank1.db': 1, 'stall.db': None}
names = [row['name'] for row in run('--list')]
for name in names[::3]:
    args = [name, *(['--at', '1s'] if name == 'around' else []), 'rank0.db', 'stall.db', 'rank1.db']
    want = [{'run': db[:-3], 'rank': ranks[db]} | {k: v for k, v in row.items() if k != 'rank'}
            for db, rows in run(*args).items() for row in rows]
    if run('--side-by-side', *args) != want:
        print(name, 'differs')
print('more than 50 reports' if len(names) > 50 else names)
END
echo '== a limit is one for each; two reports; one run has nothing of what it needs; times are dates'
try "$TRACEDB" report slowest,phases --side-by-side --limit 1 --columns run,start_ns,dur_ns,phase rank1.db stall.db
echo '== none has what it needs; each has, and there is nothing'
try "$TRACEDB" report ranks --side-by-side rank0.db rank1.db
try "$TRACEDB" report errors --side-by-side rank0.db rank1.db
echo '== a report that has ranks of its own: those'
printf ':::%s {"namespace": "", "time_ms": 1661662800000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1, "rank": 5}}\n' MLLOG >train.log
printf ':::%s {"namespace": "", "time_ms": 1661662801000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1, "rank": 5}}\n' MLLOG >>train.log
"$TRACEDB" import -q -o five.db --rank 6 train.log
try "$TRACEDB" report ranks --side-by-side -f csv --columns run,rank,phases,epoch_ns five.db
echo '== what does not go'
try "$TRACEDB" report osrt_sum --side-by-side --merged rank0.db rank1.db
try "$TRACEDB" report osrt_sum --side-by-side --sql rank0.db rank1.db
try "$TRACEDB" report osrt_sum --side-by-side --columns run,cals rank0.db rank1.db
try "$TRACEDB" report osrt_sum --side-by-side --phase nope rank0.db rank1.db
sqlite3 foreign.db 'CREATE TABLE t (x)'
try "$TRACEDB" report osrt_sum --side-by-side rank0.db foreign.db
try "$TRACEDB" report osrt_sum --side-by-side rank0.db rank1.db rank0.db
echo "one clock is for one table:"
try "$TRACEDB" report phases --align rank0.db rank1.db 2>&1
