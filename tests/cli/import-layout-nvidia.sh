# What nvidia-smi prints without a header is read by the command line that printed it
. "$LIB"
cat >gpu.csv <<'CSV'
2026/11/20 15:52:47.366, 0, 99 %, 1011 MiB
2026/11/20 15:52:48.382, 0, 100 %, 1011 MiB
CSV
command='nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used --format=csv,noheader -lms 1000'
try "$TRACEDB" import -o x.db gpu.csv
try "$TRACEDB" import --layout 'nvidia-smi dmon -s xyz' -o x.db gpu.csv
try "$TRACEDB" import --layout 'nvidia-smi --query-gpu=index,name --format=csv,noheader' -o x.db gpu.csv
try "$TRACEDB" import --layout "$command" -o x.db gpu.csv
try "$TRACEDB" query x.db -f csv 'SELECT name, value FROM sample JOIN track ON track.id = track_id ORDER BY sample.id'
