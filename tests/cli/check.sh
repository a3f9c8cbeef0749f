# What tracedb-record finds is a table, with what there is to do below; something that is missing is a finding
. "$LIB"
mkdir bin
cp "$TRACEDB" bin/tracedb # it looks beside itself
cat >bin/tracedb-record <<'SH'
#!/bin/sh
[ "$1" = --check ] || exit 2
printf 'kernel\tok\tLinux 6.12, x86_64, 2 CPUs\t\n'
printf 'tracefs\tlimited\tnot mounted\tas root: mount -t tracefs tracefs /sys/kernel/tracing\n'
[ "${2-}" != small ] || printf 'disk\tmissing\t1.00 MB free in '\''small'\''\trecord elsewhere\n'
[ "${2-}" != broken ] || exit 3
SH
chmod +x bin/tracedb-record
try bin/tracedb check
try bin/tracedb check small
try bin/tracedb check -f json small
try bin/tracedb check -f csv
try bin/tracedb check broken
try bin/tracedb check one two
rm bin/tracedb-record
PATH=/nonexistent try bin/tracedb check
