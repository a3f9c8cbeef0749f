# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What cases share; read with: . "$LIB"

# Ends the case: it cannot run here.
skip()
{
	echo "$*" >&2
	exit 77
}

# Runs a command, says with which status it ended and goes on.
try()
{
	status=0
	"$@" || status=$?
	echo "exit $status"
}

# trace N: bpftrace text with N reads, one per millisecond, of 4096 bytes and 5 us each.
trace()
{
	awk -v n="$1" 'BEGIN {
		print "Attaching " n " probes..." # no two are the beginning of one another
		print "Capturing VFS Read and Write calls"
		printf "%-17s %-9s %-6s %-14s %-4s %-7s %-10s %-10s %s\n", "TIMESTAMP", "TIME",
			"PID", "COMM", "R/W", "LAT(ns)", "REQUESTED", "RETURNED", "FILE"
		for (i = 0; i < n; i++)
			printf "%-17.0f %02d:%02d:%02d  %-6d %-14s %-4s %-7d %-10d %-10d file_%d.npy\n",
				1e15 + i * 1e6, (i / 3600e3) % 24, (i / 60e3) % 60, (i / 1e3) % 60,
				4242, "python", "R", 5000, 4096, 4096, i % 50
	}'
}

# reads FOLDER N: FOLDER/calls.txt with N reads of strace, one a second, of 10 bytes and 0.25 s each.
reads()
{
	mkdir -p "$1"
	awk -v n="$2" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "7 %d.500000 read(3, \"\", 100) = 10 <0.250000>\n", 1661662800 + i
	}' >>"$1/calls.txt"
}

# sources DB: what became of each file.
sources()
{
	sqlite3 "$1" "SELECT path, coalesce(importer, '-'), state, lines, rows, skipped, issues FROM source ORDER BY id"
}

# calls DB: how many calls are in it.
calls()
{
	sqlite3 "$1" 'SELECT count(*) FROM call'
}
