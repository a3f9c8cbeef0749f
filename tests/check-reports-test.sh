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
mode='mode AS MATERIALIZED (SELECT :pid IS NULL AS everyone, :phase IS NOT NULL AS raw)'
percentiles='mode AS MATERIALIZED (SELECT :pid IS NULL AS everyone, (SELECT count(*) FROM who) > 1 AS raw)'
printf 'WITH %s, %s, own AS (SELECT 1)\nSELECT 1;\n' "$who" "$mode" >"$tree/a.sql"
printf 'WITH %s, %s, own AS (SELECT 2)\nSELECT 1;\n' "$who" "$mode" >"$tree/b.sql"
printf 'WITH %s, %s\nSELECT 1;\n' "$who" "$percentiles" >"$tree/osrt_sum.sql"

# offence WANT REPORT TEXT: the report that begins with the text is (WANT 1) or is not (0) an offence.
offence()
{
	cp "$tree/$2.sql" "$tree/kept" 2>/dev/null || rm -f "$tree/kept"
	printf '%s\nSELECT 1;\n' "$3" >"$tree/$2.sql"
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

offence 0 new "WITH $who, $mode"
offence 0 new "WITH -- who it is about
	$(echo "$who" | sed 's/ WHERE/\n\t\tWHERE/')"
offence 0 new 'SELECT 1'
offence 0 new "WITH $who, $mode, part AS (SELECT 3)"
# one character, a column more, a filter less
offence 1 new "WITH $(echo "$who" | sed 's/= :pid/> :pid/')"
offence 1 new "WITH $(echo "$who" | sed 's/SELECT id/SELECT id, pid/')"
offence 1 b "WITH $who, $(echo "$mode" | sed 's/, :phase IS NOT NULL AS raw//')"
# a parenthesis and a comment within a text are text
offence 1 new "WITH $(echo "$who" | sed "s/pid = :pid/pid = ') -- ' AND pid = :pid/")"
# a variant that is not listed, and a listed one that is none
offence 1 new "WITH $who, $percentiles"
offence 1 osrt_sum "WITH $who, $mode"
# not at the beginning, not in order
offence 1 new "WITH own AS (SELECT 1), $who"
offence 1 new "WITH $mode, $who"
[ $failures = 0 ]
