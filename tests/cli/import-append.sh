# --append adds what one import of all files would have, and leaves the rest of the file as it was
. "$LIB"
# by_name DB: what the calls are on, whatever the ids
by_name() { sqlite3 "$1" "SELECT op, file, count(*) FROM calls GROUP BY 1, 2 ORDER BY 1, 2; SELECT path, name, path_basis FROM file ORDER BY 1, 2"; }
opens()
{
	echo 'Attaching 6 probes...'
	echo 'TIMESTAMP         TIME      PID      COMM           FUNC         LAT(ns) FILENAME'
	for path in "$@"; do
		printf '%-17s %s  %-8d %-14s %-12s %-6d %s\n' "$time" 00:00:00 4242 python openat 2000 "$path"
		time=$((time + 1000000))
	done
}

echo '== a name that one path has, and later two'
trace 4 >reads.out
time=1000000000000000
opens /data/file_0.npy /data/file_1.npy >open1.out
time=1000000000500000
opens /other/file_1.npy /other/file_2.npy >open2.out
for order in 'open1 reads open2' 'reads open1 open2' 'open2 reads open1' 'open1 open2 reads'; do
	rm -f once.db twice.db
	# shellcheck disable=SC2086 # several names
	set -- $order
	"$TRACEDB" import -q -o once.db "$1.out" "$2.out" "$3.out"
	"$TRACEDB" import -q -o twice.db "$1.out" "$2.out"
	"$TRACEDB" import -q --append -o twice.db "$3.out"
	by_name once.db >once.txt
	by_name twice.db | cmp - once.txt && echo "$order: same"
done
cat once.txt

echo '== mode, links'
chmod 0600 twice.db
ln -s twice.db link.db
trace 5 >more.out
try "$TRACEDB" import -q --append -o link.db more.out
stat -c %a twice.db
test -L link.db && echo 'still a link'
calls twice.db
ln twice.db second.db
trace 6 >less.out
try "$TRACEDB" import -q --append -o twice.db less.out
rm second.db

echo "== the user's own tables"
sqlite3 twice.db "CREATE TABLE note (call_id INTEGER, \"the text\" TEXT, long AS (length(\"the text\")));
	INSERT INTO note VALUES (1, 'slow'), (2, NULL); CREATE INDEX by_op ON call (op_id);
	CREATE VIEW slow AS SELECT * FROM note WHERE \"the text\" IS NOT NULL;
	CREATE TRIGGER watch AFTER INSERT ON note BEGIN SELECT 1; END"
try "$TRACEDB" import -q --append -o twice.db less.out
sqlite3 twice.db "SELECT type, name FROM sqlite_master WHERE name IN ('note', 'by_op', 'slow', 'watch') ORDER BY 2; SELECT * FROM note; SELECT * FROM slow; PRAGMA integrity_check"
calls twice.db

echo '== what another program commits, or is about to'
python3 - "$TRACEDB" <<'TEXT'
import sqlite3, subprocess, sys
lines = open('less.out').read()
def append(name):
    with open(f'{name}.out', 'w') as file:
        file.write(lines.replace('python', name))
    return subprocess.run([sys.argv[1], 'import', '-q', '--append', '-o', 'twice.db', f'{name}.out']).returncode
db = sqlite3.connect('twice.db', isolation_level=None)
print(db.execute('PRAGMA journal_mode = WAL').fetchone())
db.execute("INSERT INTO note VALUES (3, 'committed')")
print('open elsewhere:', append('a'), flush=True)
print(db.execute('PRAGMA journal_mode = DELETE').fetchone())
db.execute('BEGIN IMMEDIATE')
db.execute("INSERT INTO note VALUES (4, 'committed later')")
print('written elsewhere:', append('a'), flush=True)
db.execute('COMMIT')
print('committed:', append('a'), flush=True)
try:
    db.execute("INSERT INTO note VALUES (5, 'into the old file')")
    print('lost')
except sqlite3.OperationalError:
    print('refused')
db.close()
db = sqlite3.connect('twice.db', isolation_level=None)
db.execute('PRAGMA journal_mode = WAL')
db.close()
print('closed:', append('b'), flush=True)
TEXT
sqlite3 twice.db 'SELECT call_id, "the text" FROM note; PRAGMA integrity_check'
calls twice.db
ls -- twice*
