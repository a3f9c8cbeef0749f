# What else is in archives: members that are compressed, archives, databases, links, names that lead elsewhere
. "$LIB"
trace 5 >a.out
trace 6 >b.out
trace 7 >c.out
trace 8 >d.out
gzip -n b.out
tar -cf inner.tar a.out
mkdir data
python3 - <<'TEXT'
import zipfile
for path in ('data/cases.npz', 'data/named.zip'):
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.write('d.out')
TEXT
"$TRACEDB" import -q -o old.db d.out
ln -s a.out link
tar -cf mixed.tar -P --transform='s|^c.out|../../tmp/c.out|' a.out b.out.gz c.out inner.tar link old.db
try "$TRACEDB" import mixed.tar
sources mixed.db
sqlite3 mixed.db "SELECT path, detail FROM source WHERE detail NOT NULL"
test ! -e /tmp/c.out

echo "== a member that its importer reads as a whole file"
sqlite3 export.sqlite <"$TESTDATA/nsys/schema-3.sql"
gzip -nk export.sqlite
tar -czf export.tgz export.sqlite
tar -cf export.tar export.sqlite.gz
try "$TRACEDB" import -o export.db export.sqlite
for archive in export.tgz export.tar; do
	try "$TRACEDB" import -o archive.db --force $archive
	sqlite3 archive.db "ATTACH 'export.db' AS file; SELECT a.path, a.rows > 0, a.rows = b.rows FROM main.source a, file.source b"
done

echo "== of the zips in a folder those that are called so"
try "$TRACEDB" import data
sources data.db

echo "== on the command line any"
try "$TRACEDB" import data/cases.npz
sources data/cases.npz.db

echo "== nothing in it"
mkdir hollow
tar -cf hollow.tar hollow
try "$TRACEDB" import hollow.tar
