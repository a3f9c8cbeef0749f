# Traces of two boots in one folder come to their own times; a file that does not tell its boot is asked about
. "$LIB"
trace() { # trace BOOTED FROM N: a read per 100 ms, 0.1 s after the full second at first, in local time of -05:00
	awk -v boot="$1" -v from="$2" -v n="$3" 'BEGIN {
		print "Attaching 6 probes..."
		print "Capturing VFS Read and Write calls"
		printf "%-17s %-9s %-6s %-14s %-4s %-7s %-10s %-10s %s\n", "TIMESTAMP", "TIME",
			"PID", "COMM", "R/W", "LAT(ns)", "REQUESTED", "RETURNED", "FILE"
		for (i = 0; i < n; i++) {
			t = from + 0.1 + i / 10
			l = t - 5 * 3600
			printf "%-17.0f %02d:%02d:%02d  %-6d %-14s %-4s %-7d %-10d %-10d data.npy\n",
				(t - boot) * 1e9, (l / 3600) % 24, (l / 60) % 60, l % 60,
				4242, "python", "R", 5000, 4096, 4096
		}
	}'
}
log() { # log FROM: of 30 s
	for event in "$1 run_start" "$(($1 + 30)) run_stop"; do
		echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": ${event% *}000, \"key\": \"${event#* }\", \"value\": null, \"metadata\": {}}"
	done
}
where() {
	"$TRACEDB" query "$1" "SELECT path, datetime(first_ns / 1000000000, 'unixepoch') AS first, clock_error_ns < 200000000 AS known, (SELECT count(*) FROM call WHERE source_id = s.id AND start_ns BETWEEN s.first_ns AND s.last_ns) AS calls FROM source AS s ORDER BY path"
}
# date -u -d @1661716800: 2022-08-28 20:00:00; @1700000000: 2023-11-14 22:13:20
mkdir both
log 1661716800 >both/2022.log
log 1700000000 >both/2023.log
trace 1660077654 1661716800 300 >both/2022.out
trace 1699990000 1700000000 300 >both/2023.out
"$TRACEDB" import -o both.db both
where both.db
"$TRACEDB" report overview both.db | grep runs

echo "the same, appended"
"$TRACEDB" import -q -o one.db both/2022.log both/2022.out
"$TRACEDB" import -q --append -o one.db both/2023.log both/2023.out
where one.db >one.txt
where both.db | cmp - one.txt

echo "a file without a wall clock, of neither time"
{
	echo "Attaching 8 probes..."
	printf '%-17s %-6s %-4s %-12s %-12s %s\n' TIMESTAMP PID FD "RET (B)" "LAT(ns)" FILENAME
	for second in 6 7; do
		printf '%-17s %s %-6s %-12s %-12s %s\n' 133914${second}000000000 4242 python 1000 5000 data.npy
	done
} >both/bare.out
"$TRACEDB" import -o bare.db both 2>&1 | grep bare.out
"$TRACEDB" query bare.db "SELECT clock_error_ns IS NULL AS unknown FROM source WHERE path = 'bare.out'"
"$TRACEDB" import -q --clock boot=1660077654000000000 -o given.db both
where given.db
