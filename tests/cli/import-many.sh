# A data set beside a log: what nobody reads is counted beyond the first files, and costs next to nothing
. "$LIB"
folder=$(mktemp -d -p /dev/shm 2>/dev/null) || skip 'there is no /dev/shm to make files in'
trap 'rm -rf "$folder"' EXIT
# A folder of N thousand of them beside a log: data_set FOLDER N
data_set()
{
	mkdir "$1"
	trace 5 >"$1/z.out"
	python3 - "$@" <<'TEXT'
import os, sys
os.chdir(sys.argv[1])
for i in range(int(sys.argv[2])):
    os.mkdir(f'd{i:02}')
    with open(f'd{i:02}/000.npy', 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00v\x00' + bytes(range(128)) * 2)
    for k in range(1, 1000):
        os.link(f'd{i:02}/000.npy', f'd{i:02}/{k:03}.npy')
TEXT
}
cd "$folder" || exit
data_set run 66 # more than the 65535 sources that a database has
try timeout 280 "$TRACEDB" import run 2>err.txt
tail -n 2 err.txt | sed 's/: [0-9.]* MB/: SIZE/'
wc -l <err.txt
sqlite3 run.db "SELECT count(*), count(hash) FROM source"
sqlite3 run.db "SELECT path, state, detail, size_bytes FROM source WHERE id > 1000 ORDER BY id"
calls run.db
echo '== once more'
data_set again 2
"$TRACEDB" import -q -o again.db again 2>err.txt
trace 6 >again/y.out
try "$TRACEDB" import -q --append -o again.db again 2>err.txt
sqlite3 again.db "SELECT count(*) FROM source"
calls again.db
echo '== large files are not read'
truncate -s 100G large.bin
head -c 100000 /dev/zero | tr '\0' '\377' | dd of=large.bin conv=notrunc status=none
try timeout 20 "$TRACEDB" import -q -o large.db again/y.out large.bin
sqlite3 large.db 'SELECT path, state, size_bytes, hash IS NULL FROM source'
