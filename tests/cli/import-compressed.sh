# A file alone that is compressed is read as the same file in an archive is, told by its content
. "$LIB"
mkdir run
trace 1000 >run/a.out
python3 - run/a.out <<'EOF'
import bz2
import gzip
import lzma
import struct
import sys

text = open(sys.argv[1], 'rb').read()
packed = lzma.compress(text)
for name, data in {
        'xz': packed, 'two.xz': lzma.compress(text[:500]) + lzma.compress(text[500:]), 'bz2': bz2.compress(text),
        # LZ4 Frame Format: blocks of up to 4 MiB, one that is stored, and the mark of the end
        'lz4': bytes.fromhex('04224d18607073') + struct.pack('<I', len(text) | 1 << 31) + text + bytes(4),
        'gz': gzip.compress(text), 'cut.xz': packed[:len(packed) * 2 // 3], 'twice.xz': lzma.compress(packed)}.items():
    with open('a.' + name, 'wb') as file:
        file.write(data)
EOF
try "$TRACEDB" import -q -o plain.db run/a.out
for name in xz two.xz bz2 lz4 gz; do
	mkdir $name
	cp a.$name $name/
	try "$TRACEDB" import -q -o $name.db $name
	sqlite3 $name.db "ATTACH 'plain.db' AS plain; SELECT 'differ' FROM (SELECT start_ns, dur_ns, done_bytes FROM main.call
		EXCEPT SELECT start_ns, dur_ns, done_bytes FROM plain.call) LIMIT 1"
	calls $name.db
done
try "$TRACEDB" import -q - <a.xz -o stdin.db
calls stdin.db
try "$TRACEDB" import -q a.cut.xz
try "$TRACEDB" import -q a.twice.xz
