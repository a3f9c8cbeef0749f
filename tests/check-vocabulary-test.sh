#!/bin/sh
# SPDX-License-Identifier: MIT
# check-vocabulary.py must find what it is there to find: one planted offence per rule, and none more.
# usage: check-vocabulary-test.sh CHECK
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
mkdir "$tree/queries" "$tree/queries/rules" "$tree/schema"
echo 'CREATE TABLE call (id INTEGER, dur_ns INTEGER, done_bytes INTEGER);' >"$tree/schema/tables.sql"
echo 'CREATE TABLE stat (total_ns INTEGER);' >"$tree/schema/derived.sql"
echo 'CREATE VIEW calls AS SELECT id, dur_ns FROM call;' >"$tree/schema/views.sql"
echo '-- column: total_ns dur_ns time in them' >"$tree/queries/old.sql"
printf 'column gpu INTEGER index\ncolumn pid INTEGER process id\n' >"$tree/queries/vocabulary.txt"
for report in one two; do
	printf -- '-- columns: gpu, pid, n\n-- column: n count of them\n' >"$tree/queries/$report.sql"
done

# offence WANT FILE TEXT: the tree with this file is (WANT 1) or is not (0) an offence.
offence()
{
	cp "$tree/$2" "$tree/kept" 2>/dev/null || rm -f "$tree/kept"
	printf '%s\n' "$3" >"$tree/$2"
	status=0
	found=$(python3 "$check" "$tree") || status=$?
	lines=$(printf '%s' "$found" | grep -c . || true)
	if [ "$status" != "$1" ] || [ "$lines" != "$1" ]; then
		echo "$2: '$3': exit $status, $lines findings, want $1: $found"
		failures=$((failures + 1))
	fi
	rm "$tree/$2"
	[ ! -e "$tree/kept" ] || mv "$tree/kept" "$tree/$2"
}

offence 0 queries/new.sql '-- column: total_ns dur_ns time
-- column: bytes bytes moved
-- column: read_bytes_per_s bytes_per_s how fast
-- column: bytes_pct percent share of the bytes
-- column: start_ns ts_ns begin
-- column: calls count calls'
# a unit without its end, an end without its unit, one that is not at the end
offence 1 queries/new.sql '-- column: time dur_ns how long'
offence 1 queries/new.sql '-- column: read REAL read_bytes
-- column: kept_bytes count of them'
offence 1 queries/rules/new.sql '-- column: idle_pct_min percent at least'
offence 1 queries/new.sql '-- column: read_bytes_per_s bytes how fast'
# of the vocabulary: said again, not listed, needed once, out of order, a unit that it has
offence 1 queries/new.sql '-- columns: pid
-- column: pid INTEGER process id'
offence 0 queries/new.sql '-- columns: pid
-- column: pid INTEGER the busiest'
offence 1 queries/new.sql '-- columns: pid
-- column: n count of them'
offence 1 queries/two.sql '-- columns: gpu, n
-- column: n count of them'
offence 1 queries/vocabulary.txt 'column pid INTEGER process id
column gpu INTEGER index'
offence 1 queries/vocabulary.txt 'column calls count calls
column gpu INTEGER index
column pid INTEGER process id'
offence 1 queries/new.sql '-- column: pid TEXT one'
# words that mean the same, which nsys' reports may use
offence 1 queries/new.sql '-- column: avg_ns dur_ns mean'
offence 1 queries/new.sql '-- column: service_median_ns dur_ns the one in the middle'
offence 0 queries/osrt_sum.sql '-- column: avg_ns dur_ns mean'
# two units of one name
offence 1 queries/new.sql '-- column: total_ns ts_ns when'
offence 0 queries/info.sql '-- column: start_ns utc_ns date
-- column: end_ns ts_ns end'
# tables and views
offence 1 schema/views.sql 'CREATE VIEW calls AS SELECT id, dur_ns AS ns_dur FROM call;'
offence 1 schema/views.sql 'CREATE VIEW calls AS SELECT id, dur_ns AS longest_ns FROM call;'
offence 1 schema/views.sql 'CREATE VIEW old AS SELECT id, dur_ns FROM call;'
[ "$failures" = 0 ]
