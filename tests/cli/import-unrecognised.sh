# Files that no importer knows are named and kept in source
. "$LIB"
mkdir run
trace 5 >run/good.out
echo 'to whom it may concern' >run/notes.txt
printf '\177ELF\001\002\003\000\377\376\n\000\000\001' >run/binary
try "$TRACEDB" import run
sources run.db
try "$TRACEDB" import run/notes.txt
ls
