# Relative paths begin in the working directory or at a descriptor: what strace -y prints of both is the oracle
. "$LIB"
cp "$TESTDATA/strace/relative_y.txt" y.txt
sed -E 's/<\/[^>]*>(\(deleted\))?//g' y.txt >plain.txt
"$TRACEDB" import -q -o y.db y.txt
"$TRACEDB" import -q -o plain.db plain.txt
# nothing tells where the program itself began, which was in /tmp/td-strace
names()
{
	sqlite3 "$1" "SELECT op, CASE WHEN file NOT LIKE '/%' THEN '/tmp/td-strace/' ELSE '' END || file FROM calls WHERE file IS NOT NULL AND $2 ORDER BY start_ns"
}
opens="op = 'openat' AND file NOT LIKE '%..%' AND file <> '/dev/null'"
sed -n -E 's/.*openat\((AT_FDCWD|3)<([^>]*)>, "(\.\/)?([^".\/][^"]*)".*/openat|\2\/\4/p' y.txt | grep -v /dev/null >opened
[ "$(grep -c . opened)" = 16 ] && names plain.db "$opens" | diff opened - && echo 'all as strace says'
# "../x" is as the program named it, but where -y says which file it was; 11 is the shell's copy of what it began with
names y.db 1 >y
names plain.db 1 | diff y - || true
# the others, by hand
names plain.db "op NOT IN ('openat', 'read', 'write', 'close', 'dup2', 'execve')"

# behind a link ".." leads elsewhere: what is relative then has the name that it was called by
cat >up.txt <<EOT
1 1700000000.000000 chdir("/data/link") = 0 <0.000001>
1 1700000000.000010 openat(AT_FDCWD, "in", O_RDONLY) = 3 <0.000001>
1 1700000000.000020 chdir("..") = 0 <0.000001>
1 1700000000.000030 openat(AT_FDCWD, "up", O_RDONLY) = 4 <0.000001>
1 1700000000.000040 openat(77, "at", O_RDONLY) = 5 <0.000001>
1 1700000000.000050 fchdir(4) = 0 <0.000001>
1 1700000000.000060 unlink("./here") = 0 <0.000001>
1 1700000000.000070 chdir("/") = 0 <0.000001>
1 1700000000.000080 openat(-100, "root", O_RDONLY) = 6 <0.000001>
1 1700000000.000090 stat("", {st_mode=S_IFREG|0644, ...}) = -1 ENOENT (No such file or directory) <0.000001>
EOT
"$TRACEDB" import -q -o up.db up.txt
sqlite3 up.db 'SELECT op, file FROM calls ORDER BY start_ns'
