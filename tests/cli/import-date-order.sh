# 4 March or 3 April? Without another source the user is asked; one that is appended tells
. "$LIB"
mpstat() {
	printf 'Linux 5.15.0 (box) \t03/04/24 \t_x86_64_\t(2 CPU)\n\n'
	printf '%s  CPU    %%usr   %%idle\n' 10:00:00
	printf '%s  all    1.00   99.00\n' 10:00:01 10:00:02
}
mllog() { # date -u -d 2024-04-03T10:00:00Z +%s
	for event in '1712138400000 run_start' '1712138402000 run_stop'; do
		echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": ${event% *}, \"key\": \"${event#* }\", \"value\": null, \"metadata\": {}}"
	done
}
where() {
	"$TRACEDB" query "$1" "SELECT path, clock_error_ns IS NULL AS open, datetime(first_ns / 1000000000, 'unixepoch') AS first FROM source WHERE importer = 'mpstat'"
	"$TRACEDB" query "$1" "SELECT text FROM issue WHERE kind = 'ambiguous-date'"
}
mpstat >cpu.out
mllog >train.log
"$TRACEDB" import -o x.db cpu.out
where x.db
"$TRACEDB" import --append -o x.db train.log
where x.db
"$TRACEDB" import --date 2024-03-04 -o given.db cpu.out
where given.db
# the second part of the file tells: 6 May 2024 was 5 June, and stays so when something is appended
(mpstat | sed 's,03/04/24,05/06/24,'; mpstat | sed 's,03/04/24,13/06/24,') >two.out
"$TRACEDB" import -o two.db two.out
where two.db
"$TRACEDB" import --append -o two.db train.log
where two.db
