# Phases of a log that no importer knows: lines that the user describes
. "$LIB"
cat >train.log <<'LOG'
2024-05-01 12:00:00,000 INFO loading
2024-05-01 12:00:01,000 INFO Epoch 1/2
2024-05-01 12:00:02,500 INFO step=10 loss=2.5
Epoch 1/2:  50%
2024-05-01 12:00:05,000 INFO Epoch 2/2
2024-05-01 12:00:09,500 INFO done
LOG
try "$TRACEDB" import -o x.db train.log
try "$TRACEDB" import -o x.db --phase-pattern 'Epoch ([0-9]+' train.log
try "$TRACEDB" import -o x.db --phase-pattern '' train.log
try "$TRACEDB" import -o x.db --phase-pattern 'Stage [0-9]+' train.log
try "$TRACEDB" import -o x.db --phase-pattern 'Epoch [0-9]+' --phase-pattern 'step=[0-9]+' --tz +02:00 train.log
try "$TRACEDB" query -f csv x.db 'SELECT label, (start_ns - 1714557600000000000) / 1e9 AS start_s, dur_ns / 1e9 AS dur_s, state, args FROM phases ORDER BY start_ns'
try "$TRACEDB" query -f csv x.db 'SELECT kind, line, text FROM issue'
try "$TRACEDB" report phases x.db -f csv --columns phase,state,dur_ns
