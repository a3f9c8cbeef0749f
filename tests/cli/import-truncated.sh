# Compressed files that end too early: what can be unpacked is imported, the source is marked as cut
. "$LIB"
command -v zstd >/dev/null || skip "the zstd program is not installed"
mkdir run
trace 20000 >whole.out
gzip -nc whole.out | head -c 20000 >run/a.out.gz
trace 20001 | zstd -qc | head -c 20000 >run/b.out.zst
# too little to unpack anything
zstd -qc whole.out | head -c 100 >run/c.out.zst
try "$TRACEDB" import run
sqlite3 run.db "SELECT path, state, detail, rows > 1000, lines = rows + skipped + issues FROM source"
