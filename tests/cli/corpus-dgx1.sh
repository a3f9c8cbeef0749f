# The two real files of a DGX-1: a log of several runs and ranks, and what pmon saw of one of them
. "$LIB"
[ -n "${TRACEDB_CORPUS:-}" ] || skip "TRACEDB_CORPUS does not point to the test corpus"
try "$TRACEDB" import --quiet -o run.db "$TRACEDB_CORPUS/mlperf-dgx1"
sources run.db
