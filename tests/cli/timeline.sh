# A run over time: on the terminal, as a picture, two under each other, and what cannot be asked for
. "$LIB"
on() { python3 "$(dirname "$LIB")/terminal.py" "$@"; }
# Ten seconds. A reads 10 MB in the first 5 s, in one call; B opens twice in the last, and writes 1 MB in no time at all.
cat >run.strace <<'TXT'
100  1700000000.000000 read(3</data/a>, ""..., 10000000) = 10000000 <5.000000>
200  1700000009.000000 openat(AT_FDCWD, "/data/b", O_WRONLY) = 4</data/b> <0.000000>
200  1700000009.100000 openat(AT_FDCWD, "/data/c<d>", O_WRONLY) = 5</data/c> <0.000000>
200  1700000009.200000 write(4</data/b>, ""..., 1000000) = 1000000 <0.000000>
200  1700000009.900000 fsync(4</data/b>) = 0 <0.100000>
TXT
# this file is no log of that kind itself
sed 's/^/:::/' >train.log <<'TXT'
MLLOG {"namespace": "", "time_ms": 1700000000000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1}}
MLLOG {"namespace": "", "time_ms": 1700000005000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1}}
MLLOG {"namespace": "", "time_ms": 1700000005000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 2}}
MLLOG {"namespace": "", "time_ms": 1700000010000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 2}}
TXT
try "$TRACEDB" import -q -o x.db run.strace train.log
# 46 columns: ten seconds in 10 of them would be one each; 2 MB/s while the read lasts
on 76 "$TRACEDB" timeline x.db
try "$TRACEDB" timeline x.db --lanes opens --from 8s
try env LC_ALL=C.UTF-8 "$TRACEDB" timeline x.db --lanes files --phase 'epoch 2'
# the other begins later
sed 's/1700000000000/1700000002000/' train.log >late.log
try "$TRACEDB" import -q -o late.db run.strace late.log
try "$TRACEDB" timeline x.db --compare late.db --lanes sync
try "$TRACEDB" timeline x.db -o x.svg
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("x.svg"); print(open("x.svg").read().count("<path class=\"h-read\""), "areas of reads")'
try "$TRACEDB" timeline x.db -o x.png
try "$TRACEDB" timeline x.db --lanes opens,sink
try "$TRACEDB" timeline x.db --phase 'epoch 3'
try "$TRACEDB" timeline x.db --from 8s --to 8s
try "$TRACEDB" timeline x.db late.db
echo nothing >empty.txt
"$TRACEDB" import -q -o empty.db empty.txt 2>/dev/null || true
try "$TRACEDB" timeline empty.db
