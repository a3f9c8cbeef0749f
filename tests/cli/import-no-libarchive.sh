# Where libarchive is not to be had: what needs it says so, everything else goes on
. "$LIB"
if ldd "$TRACEDB" | grep -q libarchive; then skip "libarchive is linked"; fi
mkdir libraries run
echo nothing >libraries/libarchive.so.13
trace 3 >run/a.out
trace 4 >b.out
xz b.out
tar cf run/run.tar run/a.out
mv b.out.xz run
try env LD_LIBRARY_PATH=libraries "$TRACEDB" import -q run
sqlite3 run.db 'SELECT path, state, rows FROM source'
env LD_LIBRARY_PATH=libraries "$TRACEDB" --version | grep libarchive
