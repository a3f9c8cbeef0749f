#!/bin/sh
# SPDX-License-Identifier: MIT
# check-reports.py must find what it is there to find: one planted offence per rule, and none more.
# usage: check-reports-test.sh CHECK
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

who='who AS MATERIALIZED (SELECT id FROM process WHERE (:pid IS NULL OR pid = :pid))'
period='period AS MATERIALIZED (SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase)'
printf -- '-- group: files\nWITH %s, %s, own AS (SELECT 1)\nSELECT 1;\n' "$who" "$period" >"$tree/a.sql"
printf -- '-- group: files\nWITH %s, %s, own AS (SELECT 2)\nSELECT 1;\n' "$who" "$period" >"$tree/b.sql"
printf -- '-- group: files\nWITH %s\nSELECT 1;\n' "$period" >"$tree/c.sql"

# offence WANT REPORT TEXT [HEADER]: the report that begins with the text is (WANT 1) or is not (0) an offence.
offence()
{
	cp "$tree/$2.sql" "$tree/kept" 2>/dev/null || rm -f "$tree/kept"
	printf '%s\n%s\nSELECT 1;\n' "${4-"-- group: files"}" "$3" >"$tree/$2.sql"
	status=0
	found=$(python3 "$check" "$tree") || status=$?
	lines=$(printf '%s' "$found" | grep -c '^[^	]' || true)
	if [ "$status" != "$1" ] || [ "$lines" != "$1" ]; then
		echo "$2: '$3': exit $status, $lines findings, want $1"
		failures=$((failures + 1))
	fi
	rm "$tree/$2.sql"
	[ ! -e "$tree/kept" ] || mv "$tree/kept" "$tree/$2.sql"
}

offence 0 new "WITH $who, $period"
offence 0 new "WITH -- who it is about
	$(echo "$who" | sed 's/ WHERE/\n\t\tWHERE/')"
offence 0 new 'SELECT 1'
offence 0 new "WITH $who, $period, part AS (SELECT 3)"
offence 0 new "SELECT 1 WHERE c IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed'), d IN ('pipe', 'socket')"
offence 1 new "SELECT 1 WHERE c NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'unnamed')"
offence 1 new "WITH waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'))"
# one character, a column more, a filter less
offence 1 new "WITH $(echo "$who" | sed 's/= :pid/> :pid/')"
offence 1 new "WITH $(echo "$who" | sed 's/SELECT id/SELECT id, pid/')"
offence 1 b "WITH $who, $(echo "$period" | sed 's/, end_ns//')"
# a parenthesis and a comment within a text are text
offence 1 new "WITH $(echo "$who" | sed "s/pid = :pid/pid = ') -- ' AND pid = :pid/")"
# not at the beginning, not in order
offence 1 new "WITH own AS (SELECT 1), $who"
offence 1 new "WITH $period, $who"
# no group, one that there is not, two
offence 1 new 'SELECT 1' '-- title: T'
offence 1 new 'SELECT 1' '-- group: file'
offence 1 new 'SELECT 1' '-- group: own'
offence 1 new 'SELECT 1' '-- group: files
-- group: gpu'
offence 0 new 'SELECT 1' '-- title: T
-- group: gpu'
# a filter without the other that belongs to it
offence 1 new 'SELECT 1' '-- group: files
-- param: pid INTEGER NULL -- only this one'
offence 1 new 'SELECT 1' '-- group: files
-- param: start_ns ts_ns NULL -- from
-- param: end_ns ts_ns NULL -- to'
offence 0 new 'SELECT 1' '-- group: files
-- param: pid INTEGER NULL -- only this one
-- param: process TEXT NULL -- only this one'
offence 1 new 'SELECT 1' '-- group: files
-- filters: process
-- param: phase TEXT NULL -- in this one'
offence 0 new 'SELECT 1' '-- group: files
-- filters: time, process, limit 30
-- param: pid INTEGER NULL -- only this one'

# long WANT STATEMENT HEAD: half of the reports have so many lines of each; the others are short.
long()
{
	rm -f "$tree"/*.sql
	for report in a b c; do
		{ echo '-- group: files'; yes -- '-- order: a' | head -n "$(($3 - 1))"; yes ',1' | head -n "$2"; } >"$tree/$report.sql"
	done
	printf -- '-- group: files\nSELECT 1;\n' | tee "$tree/d.sql" >"$tree/e.sql"
	found=$(python3 "$check" "$tree" | grep -c 'the median' || true)
	if [ "$found" != "$1" ]; then
		echo "statements of $2 lines below $3: $found findings, want $1"
		failures=$((failures + 1))
	fi
}

long 0 3 3
long 1 40 40
long 1 60 3
long 2 100 3
long 0 40 20
[ $failures = 0 ]
