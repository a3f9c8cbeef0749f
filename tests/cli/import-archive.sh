# An archive of a run folder gives what the folder gives
. "$LIB"
command -v zstd >/dev/null || skip "the zstd program is not installed"
cp -r "$EXAMPLES/stall/run" run1

# facts DB: all that is in it but its name and where its files came from
facts()
{
	sqlite3 "$1" .dump | sed -e '/^INSERT INTO run VALUES/d' -e "s|'[^']*/run1/|'|"
}

# as_the_folder ARCHIVE DB: the database has no name of its own to be told
as_the_folder()
{
	"$TRACEDB" import -q "$1"
	facts "$2" | cmp - folder.sql && echo "$1: the same"
	rm "$2"
}

"$TRACEDB" import -q -o folder.db run1
facts folder.db >folder.sql
python3 - <<'TEXT'
import os, tarfile, zipfile
names = sorted('run1/' + name for name in os.listdir('run1'))
for path in ('run1.tar', 'run1.tgz', 'run1.tar.xz', 'RUN2.TAR.BZ2'):
    mode = {'tgz': 'gz', 'xz': 'xz', 'BZ2': 'bz2'}.get(path.split('.')[-1], '')
    with tarfile.open(path, 'w:' + mode) as tar:
        tar.add('run1')
with zipfile.ZipFile('run1.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    for name in names:
        archive.write(name)
TEXT
gzip -k run1.tar
zstd -q run1.tar
for archive in run1.tar run1.tgz run1.tar.gz run1.tar.zst run1.tar.xz run1.zip; do
	as_the_folder $archive run1.db
done
as_the_folder RUN2.TAR.BZ2 RUN2.db

echo "== standard input"
"$TRACEDB" import -q -o run1.db - <run1.tar.gz
facts run1.db | cmp - folder.sql
sqlite3 run1.db 'SELECT path FROM source LIMIT 1'

echo "== beside the folder: twice the same"
mkdir both
cp -r run1 run1.tar.gz both
"$TRACEDB" import -q both 2>/dev/null
sqlite3 both.db "SELECT path, state, detail FROM source WHERE path LIKE '%bio%' OR state = 'complete'"

echo "== appended to the database of the folder"
try "$TRACEDB" import --append -o folder.db run1.zip 2>/dev/null
facts folder.db | cmp - folder.sql
