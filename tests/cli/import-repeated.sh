# A text that is there twice counts once: packed beside unpacked, a copy taken while a log grew, in archives, by --append
. "$LIB"
total() { sqlite3 "$1" 'SELECT count(*), sum(done_bytes) FROM call'; }

mkdir packed
trace 5 | sed s/python/trainer/ >packed/train.log
gzip -nk packed/train.log
zstd -q packed/train.log -o packed/z.log.zst
try "$TRACEDB" import packed
sources packed.db
total packed.db
sqlite3 packed.db "SELECT count(DISTINCT hash) FROM source WHERE hash IS NOT NULL"

# whichever comes first; of two copies the one that goes on counts
mkdir grown
trace 900 >grown/b.log
head -n 500 grown/b.log >grown/a.log
head -n 700 grown/b.log | gzip -n >grown/c.log.gz
try "$TRACEDB" import grown
sources grown.db
total grown.db
sqlite3 grown.db "SELECT path, detail FROM source WHERE state = 'duplicate' ORDER BY id"
sqlite3 grown.db "SELECT count(*) FROM call WHERE source_id <> (SELECT id FROM source WHERE path = 'b.log')"

# members of an archive, and what is beside it
mkdir beside
tar -C packed -czf beside/logs.tgz train.log train.log.gz
cp packed/train.log beside/train.log
tar -C grown -cf beside/more.tar a.log b.log
try "$TRACEDB" import beside
sources beside.db
total beside.db

# a log is imported while it grows
cp grown/a.log live.log
try "$TRACEDB" import -o live.db live.log
cp grown/b.log live.log
try "$TRACEDB" import --append -o live.db live.log
sources live.db
total live.db
sqlite3 live.db 'PRAGMA integrity_check'
gzip -n live.log
try "$TRACEDB" import --append -o live.db live.log.gz
total live.db

# another run of the same tool is no repetition
mkdir other
head -n 3 grown/b.log >other/a.log
sed -n 4p grown/b.log >>other/a.log
head -n 3 grown/b.log >other/b.log
sed -n 5,6p grown/b.log >>other/b.log
try "$TRACEDB" import -q other
sources other.db
total other.db
