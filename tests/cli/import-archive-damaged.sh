# Archives that are cut, damaged or encrypted: what can be read is imported, the rest is named
. "$LIB"
mkdir run
for n in 1 2 3; do
	trace "${n}000" >run/$n.out
done
tar --sort=name -cf run.tar run
gzip -nk run.tar

# state DB
state()
{
	sqlite3 "$1" "SELECT path, state, detail, rows > 0, lines = rows + skipped + issues FROM source ORDER BY id"
}

echo "== cut within run/2.out"
head -c 8000 run.tar.gz >cut.tar.gz
try "$TRACEDB" import cut.tar.gz
state cut.db
echo "== and once more"
try "$TRACEDB" import --append -o cut.db cut.tar.gz
state cut.db | wc -l

echo "== cut between the files: a header each for run/ and 1.out, whose data are full blocks"
size=$(wc -c <run/1.out)
head -c $((1024 + (size + 511) / 512 * 512)) run.tar >between.tar
try "$TRACEDB" import between.tar
state between.db

echo "== a header is damaged, that of 2.out"
at=$((1024 + (size + 511) / 512 * 512 + 10))
{
	head -c $at run.tar
	printf X
	tail -c +$((at + 2)) run.tar
} >header.tar
try "$TRACEDB" import header.tar
state header.db

echo "== the first of two is encrypted"
python3 - <<'TEXT'
import zipfile
with zipfile.ZipFile('secret.zip', 'w') as archive:
    archive.write('run/1.out')
    archive.write('run/2.out')
with open('secret.zip', 'r+b') as file: # the flag alone: bit 0 at offset 6 of the header
    file.seek(6)
    file.write(b'\1')
TEXT
try "$TRACEDB" import secret.zip
state secret.db
sqlite3 secret.db "SELECT typeof(size_bytes) FROM source WHERE state = 'failed'"
