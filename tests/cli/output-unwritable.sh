# What cannot be written is said once, with the reason, and ends in an error: by every command, on a full disk and on a closed standard output
. "$LIB"
trace 500 >a.out
"$TRACEDB" import -q -o a.db a.out
"$TRACEDB" report osrt_sum --partial -o a.partial a.db

# COMMAND...: on both, how it ends and what it says of that
unwritable()
{
	status=0
	"$TRACEDB" "$@" >/dev/full 2>full </dev/null || status=$?
	echo "$*: $status, $(grep error full)"
	status=0
	"$TRACEDB" "$@" >&- 2>closed </dev/null || status=$?
	echo "  closed: $status, $(grep error closed)"
}

while read -r line; do
	# shellcheck disable=SC2086
	unwritable $line
done <<'END' >said
--help
--version
record --help
formats
check
report --list
report --list a.db
report --help
report osrt_sum --help
report --sql osrt_sum a.db
report -f csv osrt_sum a.db
report -f json overview a.db
report -f html overview a.db
report --all -f html a.db
report --partial osrt_sum a.db
report --merged osrt_sum a.db
report --from-partial a.partial
merge a.partial
analyze a.db
analyze --list
analyze --rule gpu_gaps --help
compare a.db a.db
timeline a.db
query a.db VALUES(1)
query -f csv a.db SELECT*FROM/**/calls
info a.db
info --all a.db
export --to csv=- --table call a.db
export --to ndjson=- --table call a.db
export --to sql=- a.db
export --to chrome=- a.db
export --to perfetto=- a.db
trigger --help
END
cat said
echo "a reader who goes has what he wants:"
"$TRACEDB" query -f csv a.db 'SELECT * FROM calls' | head -n 1 | cut -c 1-7
