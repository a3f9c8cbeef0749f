# Files that no importer knows are named and kept in source
. "$LIB"
mkdir run
trace 5 >run/good.out
echo 'to whom it may concern' >run/notes.txt
printf '\177ELF\001\002\003\000\377\376\n\000\000\001' >run/binary
try "$TRACEDB" import run
sources run.db
try "$TRACEDB" import run/notes.txt
ls

# what people have beside the logs that are read, by its first lines or its name, and what to do about it
mkdir beside
cat >beside/mine.out <<EOF
Attaching 2 probes...
ts,pid,comm,file,ret,us
28318801794582,8790,odd,/etc/ld.so.cache,3,18
EOF
cat >beside/sar.out <<EOF
Linux 6.1.0-18-amd64 (gpu01) 	11/28/2026 	_x86_64_	(2 CPU)

09:55:45 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
09:55:46 AM     all     31.31     30.81     37.88      0.00      0.00      0.00
EOF
cat >beside/vmstat.out <<EOF
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
20  0      0 19373248  34088 4817340    0    0   131   812 1204 2310 31 38 31  0  0
EOF
cat >beside/top.out <<EOF
top - 09:55:47 up  7:49,  0 user,  load average: 12.37, 7.93, 5.84
Tasks: 158 total,  13 running, 143 sleeping,   1 stopped,   1 zombie
EOF
printf '\226\325u!\014\006\001\0' >beside/sa28
printf 'PERFILE2h\0\0\0' >beside/perf.data
printf '\001\002\003\004' >beside/report1.nsys-rep
printf '{"traceEvents": [\n{"name": "frame", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}\n' >beside/chrome.json
try "$TRACEDB" import beside
