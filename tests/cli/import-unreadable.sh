# A file that may not be read: the others are imported, the message names it
. "$LIB"
setpriv --inh-caps=-all --bounding-set=-all true 2>/dev/null || skip "setpriv cannot drop capabilities here"
mkdir run
trace 5 >run/good.out
trace 5 >run/secret.out
chmod 0 run/secret.out
try setpriv --inh-caps=-all --bounding-set=-all "$TRACEDB" import run
sources run.db
try setpriv --inh-caps=-all --bounding-set=-all "$TRACEDB" import run/secret.out
ls
