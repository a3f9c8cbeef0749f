# A folder that contains itself is walked once
. "$LIB"
mkdir -p run/deeper
trace 5 >run/good.out
ln -s .. run/deeper/again
try "$TRACEDB" import run
sources run.db
