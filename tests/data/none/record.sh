#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes those of the texts in this folder that are the output of other tools: what no importer may take for
# its own format. Needs sysstat, procps, gdb and binutils. The other files here are written by hand.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C TZ=UTC0

# output of sysstat, without the names of machine and kernel
sysstat() { "$@" | sed 's/^Linux [^ ]* ([^)]*)/Linux 6.1.0 (box)/'; }

vmstat -t 1 3 >vmstat.txt
vmstat -d | head -6 >vmstat-d.txt
sysstat sar -u -P ALL 1 2 >sar-u.txt
sysstat sar -d 1 1 | head -8 >sar-d.txt
sysstat sar -n DEV 1 1 | head -8 >sar-n.txt
sysstat sar -q 1 2 >sar-q.txt
sysstat pidstat -u -p SELF 1 1 >pidstat-u.txt
sysstat pidstat -d -r -h -p SELF 1 1 >pidstat-drh.txt
free -w >free.txt
top -b -n 1 -p $$ >top.txt
df -h /tmp >df.txt
/usr/bin/time -v true 2>time-v.txt
readelf -h /bin/true >readelf-h.txt
gdb -batch -ex 'break exit' -ex run -ex bt -ex 'info registers rip' /bin/true >gdb.txt 2>/dev/null
