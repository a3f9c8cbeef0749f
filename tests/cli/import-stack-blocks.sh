# Stacks that bcc's profile, offcputime and stackcount print: as many as awk finds below their banners, and of that sum
. "$LIB"
[ -d "${TRACEDB_CORPUS:-}/bpftrace" ] || skip 'no corpus'
for tool in profile offcputime stackcount; do
	file=$TRACEDB_CORPUS/bpftrace/bcc_${tool}_example.txt
	"$TRACEDB" import -q -o $tool.db "$file"
	sqlite3 $tool.db 'SELECT name, unit, count(*), sum(value) FROM stack_total' \
		'SELECT issues FROM source' "SELECT count(*) FROM issue_count WHERE kind = 'unused-tool'"
	awk '/^(Sampling at|Tracing off-CPU time|Tracing [0-9]+ functions)/ { on = 1; next }
		/^[^ ]/ && !/^(\^C|\[|[0-9]|WARNING)/ { on = 0 }
		on && /^ +[0-9]+$/ { n++; sum += $1 }
		END { print "awk: " n, sum }' "$file"
done
