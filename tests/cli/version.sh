# What --version says of the program and of what it was built with and runs on
. "$LIB"
"$TRACEDB" --version >said
head -n 1 said | sed 's/[0-9][0-9.]*/N/'
[ "$(sed -n 's/^schema //p' said)" = "$("$TRACEDB" query "$(trace 1 >a.out && "$TRACEDB" import -q a.out && echo a.out.db)" -f csv 'PRAGMA user_version' | tail -n 1)" ]
# the shell is of the same library
grep -c "^SQLite $(sqlite3 --version | cut -d ' ' -f 1), libarchive [0-9]" said
grep -cE '^(recorder /|no recorder: )' said
