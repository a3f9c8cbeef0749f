# A database of another version is refused by name
. "$LIB"
trace 5 >a.out
"$TRACEDB" import -o x.db a.out
version=$(sqlite3 x.db 'PRAGMA user_version')
sqlite3 x.db "PRAGMA user_version = $((version + 1))"
cp x.db newer.db
sqlite3 x.db 'PRAGMA user_version = 0'
cp x.db older.db
for db in newer.db older.db; do
	for command in 'report info' info 'query'; do
		# shellcheck disable=SC2086 # command and its arguments
		try "$TRACEDB" $command $db
	done
	try "$TRACEDB" import --append -o $db a.out
done 2>&1 | sed "s/(schema $((version + 1)),/(schema NEXT,/; s/reads $version)/reads CURRENT)/"
