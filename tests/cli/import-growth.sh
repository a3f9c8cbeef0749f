# Inputs that are small take neither memory nor time that grows with their square
. "$LIB"
# 1.5 GB is what a run of the address sanitizer may take; without sharing each of the four needs more or never ends
# shellcheck disable=SC3045 # which dash has
grep -q __asan_init "$TRACEDB" || ulimit -v 600000

echo '== descriptors of forked children'
awk 'BEGIN {
	for (i = 0; i < 20000; i++)
		printf "1 1600000000.%06d openat(AT_FDCWD, \"/f%d\", O_RDONLY) = %d <0.000001>\n", i, i, i + 3
	for (i = 0; i < 10000; i++)
		printf "1 1600000001.%06d fork() = %d <0.000001>\n", i, i + 2
	for (i = 0; i < 10000; i++)
		printf "%d 1600000002.%06d read(%d, \"\", 1) = 1 <0.000001>\n%d 1600000003.%06d dup2(3, 17) = 17 <0.000001>\n", i + 2, i, i + 3, i + 2, i
}' >forks.strace
try "$TRACEDB" import -q -o forks.db forks.strace
sqlite3 forks.db "SELECT count(*), count(DISTINCT file_id) FROM call WHERE op_id = (SELECT id FROM op WHERE name = 'read')"

echo '== a report of many processes'
# its time: 2 s of CPU are ten times what it takes, and less than looking at all of them for each does
# shellcheck disable=SC3045
(ulimit -t 2 && try "$TRACEDB" report -f csv io_by_process --limit 1 forks.db)

echo '== a report of many phases that overlap: 20,000 of 4 s, 1 ms apart, each with 4 reads of 10 bytes, one in a second'
awk -v tag=":::ML""LOG" 'BEGIN {
	for (i = 0; i < 24000; i++) {
		if (i < 20000)
			printf "%s {\"namespace\": \"\", \"time_ms\": 16000000%05d, \"event_type\": \"INTERVAL_START\", \"key\": \"epoch_start\", \"value\": null, \"metadata\": {\"epoch_num\": %d}}\n", tag, i, i
		if (i >= 4000)
			printf "%s {\"namespace\": \"\", \"time_ms\": 16000000%05d, \"event_type\": \"INTERVAL_END\", \"key\": \"epoch_stop\", \"value\": null, \"metadata\": {\"epoch_num\": %d}}\n", tag, i, i - 4000
	}
}' >overlap.log
awk 'BEGIN { for (i = 0; i < 25; i++) printf "7 %d.500000 read(3, \"\", 100) = 10 <0.100000>\n", 1600000000 + i }' >overlap.strace
try "$TRACEDB" import -q -o overlap.db overlap.log overlap.strace
try timeout 30 "$TRACEDB" report -f csv phases overlap.db >overlap.csv
cut -d, -f4,6,8,9 overlap.csv | sort | uniq -c

echo '== tags of events that are none'
awk -v tag=":::ML""LOG" 'BEGIN {
	print tag " {\"namespace\": \"\", \"time_ms\": 1600000000000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"a\", \"value\": 1, \"metadata\": {\"file\": \"x.py\", \"lineno\": 1}}"
	for (k = 0; k < 40; k++) {
		for (i = 0; i < 100000; i++)
			printf "%s {", tag
		print ""
	}
}' >tags.log
try timeout 20 "$TRACEDB" import -q -o tags.db tags.log
sources tags.db

echo '== packed text that comes to far more'
python3 - <<'TEXT'
import gzip, io, tarfile
event = b':::ML' b'LOG {"namespace": "", "time_ms": 1600000000000, "event_type": "POINT_IN_TIME", "key": "a", "value": 1, "metadata": {"file": "x.py", "lineno": 1}}\n'
blank = gzip.compress(b' ' * 1048575 + b'\n', 9)
bomb = gzip.compress(event) + blank * 300
open('bomb.log.gz', 'wb').write(bomb)
with tarfile.open('bombs.tar', 'w') as tar:
    for name in ('a.log.gz', 'b.log.gz'):
        part = gzip.compress(event + name.encode()) + blank * 160
        info = tarfile.TarInfo(name)
        info.size = len(part)
        tar.addfile(info, io.BytesIO(part))
TEXT
try "$TRACEDB" import -q -o bomb.db bomb.log.gz
try "$TRACEDB" import -q -o bombs.db bombs.tar
sqlite3 bomb.db 'SELECT path, state, detail, rows, hash IS NULL FROM source'
sqlite3 bombs.db 'SELECT path, state, detail, rows FROM source'

echo '== threads that are never said to have ended: less than 400 bytes of memory for each; of processes 900'
threads() # N: each makes one call
{
    awk -v n="$1" 'BEGIN {
	for (i = 0; i < n; i++) {
		printf "999 1600000000.%06d clone(child_stack=0x7f00, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = %d <0.000001>\n", i, i + 1000
		printf "%d 1600000001.%06d read(3, \"\", 100) = 100 <0.000001>\n", i + 1000, i
	}
}'
}
processes() # N: the same
{
    threads "$1" | sed 's/clone(.*) =/fork() =/'
}
threads 1000 >few-threads.strace
threads 200000 >threads.strace
processes 1000 >few-processes.strace
processes 100000 >processes.strace
if grep -q __asan_init "$TRACEDB"; then
    printf 'ok\nok\n' # whose allocator keeps what was freed
else
    python3 - "$TRACEDB" <<'MEMORY'
import os, sys
def peak(name):
    pid = os.spawnv(os.P_NOWAIT, sys.argv[1], [sys.argv[1], 'import', '-q', '--threads', '1', '-o', name + '.db', name + '.strace'])
    return os.wait4(pid, 0)[2].ru_maxrss * 1024
for name, n, most in ('threads', 199000, 400), ('processes', 99000, 900):
    each = (peak(name) - peak('few-' + name)) / n
    print('ok' if each < most else f'{each} bytes for each of the {name}')
MEMORY
fi
