# The overview of a trace of milliseconds, as profilers make them, tells times in units that show them
. "$LIB"
# a kernel of 1.5 ms, nothing for 2.25 ms, a kernel of 250 us: busy for 1.75 of 4 ms; in the gap the host copies from 3 to 3.04 ms, of
# which nothing is known before 3 ms and after 4.99 ms: 0.5 ms idle before that call, 1.71 ms behind it
printf '%s' '{"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpy", "pid": 9, "tid": 9, "ts": 3000, "dur": 40, "args": {}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpy", "pid": 9, "tid": 9, "ts": 4980, "dur": 10, "args": {}},
{"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 1000, "dur": 1500, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 4750, "dur": 250, "args": {"device": 0, "stream": 7}}]}' >trace.json
"$TRACEDB" import -q -o trace.db trace.json
"$TRACEDB" report -f csv trace.db | grep '^GPU'
"$TRACEDB" query -f csv trace.db "SELECT wall_ns, busy_min_ns FROM gpu_phase WHERE label = '(run)'; SELECT max(idle_max_ns) FROM gpu_idle_stretch"
