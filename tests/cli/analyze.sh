# Findings of rules: text, rows, rules of one's own, thresholds, exit status
. "$LIB"
mkdir rules
cat >rules/opens.sql <<'SQL'
-- title: Many opens
-- level: info
-- needs: call
-- param: least INTEGER 1 -- so many are reported
-- column: level TEXT how bad it is
-- column: opens count calls
-- column: saves_ns dur_ns what they took
-- column: basis TEXT what the numbers are
-- order: 2
-- finding: {opens} opens ({opens..saves_ns}).
-- advice: Open less than {opens} times.
-- unless: somebody wants to open, "as often" as that
SELECT CASE WHEN calls > 4 THEN 'critical' END AS level, calls AS opens, 1500000000 AS saves_ns, 'bounds' AS basis
FROM io_stat
WHERE by = 'all' AND calls >= coalesce(:least, 1)
ORDER BY 2;
SQL
cat >rules/gpu.sql <<'SQL'
-- title: GPUs
-- level: warning
-- needs: gpu_phase
-- column: n count GPUs
-- order: 1
-- finding: F
-- advice: A
-- unless: U
SELECT count(*) AS n FROM gpu_phase ORDER BY 1;
SQL
trace 5 >a.out
trace 3 >b.out
"$TRACEDB" import -q -o a.db a.out
"$TRACEDB" import -q -o b.db b.out
own() { "$TRACEDB" analyze -Q rules -r opens,gpu "$@"; }
try own a.db
try own --fail-on critical b.db
try own --fail-on info b.db
try own -p opens:least=4 --fail-on info a.db b.db
try own -f json a.db
try own -f csv a.db b.db
try own -r opens --list
try own -r opens --help
# a rule that has nothing to look at
try own -r gpu a.db | tail -1
try "$TRACEDB" analyze -Q rules -r gpu a.db
# a reason that several have is said once
cp rules/gpu.sql rules/gpu_too.sql
try "$TRACEDB" analyze -Q rules -r gpu,gpu_too a.db
rm rules/gpu_too.sql
# a part of the sentence in [] is left out where a value in it is missing; without a value [] are text
cat >rules/parts.sql <<'SQL'
-- title: Parts
-- level: info
-- needs: call
-- column: n count calls
-- column: none_ns dur_ns nothing
-- order: n
-- finding: [{n} calls], [x][ took {none_ns} of {n}]; [all {none_ns}] in {none_ns} [sic
-- advice: [Open {n}][, not {none_ns}] [a].
-- unless: [{n}
SELECT 3 AS n, NULL AS none_ns ORDER BY n;
SQL
try own -r parts a.db
rm rules/parts.sql
# what is no rule, no threshold, no level
try own -r open a.db
try own -p opens:most=4 a.db
try own -p opens:least=x a.db
try own -p least=4 a.db
try own --fail-on bad a.db
try "$TRACEDB" analyze
cat >rules/report.sql <<'SQL'
-- title: No rule
-- column: n count GPUs
-- order: 1
SELECT 1 AS n ORDER BY 1;
SQL
try "$TRACEDB" analyze -Q rules a.db
