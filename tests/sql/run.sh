#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the reports in queries/: each runs in the stock sqlite3 shell on a database made of the schema and a few rows
# whose answers were worked out by hand.
#
#     tests/sql/run.sh [REPORT...]        prints TAP, exits 1 if a case failed
#
# Without parameters the shell has nothing but the file. With parameters it has the extension $TRACEDB_EXTENSION, without which those
# cases are left out.
#
# The measures of queries/compare/ are tested as reports called compare/MEASURE.
#
# tests/sql/compare/base.sql        rows that all of those of measures have
# tests/sql/REPORT/setup.sql        the rows, base tables and derived ones; without it only the header and the empty database are tested
# tests/sql/REPORT/expect.csv       what the report prints without parameters; and, if it takes :start_ns, with :start_ns 0,
#                                   which covers everything: the derived tables and the calls must give the same answer (but for
#                                   what has tables of its own for times, 'timed')
# tests/sql/REPORT/CASE/             the same of other rows: setup.sql and expect*.csv
# tests/sql/REPORT/expect-NAME.csv  with parameters, from the lines '# :name value' that the file begins with; other lines
#                                   that begin with '#' are comments
#
# A setup.sql of the same rows as another is a symlink to it.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

# check NAME: the case failed if there is anything in $tmp/why.
check() {
	n=$((n + 1))
	if [ -s "$tmp/why" ]; then
		failed=$((failed + 1))
		echo "not ok $n - $1"
		sed 's/^/# /' "$tmp/why"
	else
		echo "ok $n - $1"
	fi
}

# rows DB [SETUP...]: in one transaction, and without waiting for the disk.
rows() {
	db=$1
	shift
	{
		echo 'PRAGMA synchronous = OFF; BEGIN;'
		cat "$@"
		echo 'COMMIT;'
	} | sqlite3 -bail "$db" 2>&1
}

# database FILE [SETUP...]: the schema, which is made once, and rows.
database() {
	[ -e "$tmp/schema.db" ] || rows "$tmp/schema.db" "$root/schema/tables.sql" "$root/schema/derived.sql" "$root/schema/views.sql"
	cp "$tmp/schema.db" "$1"
	[ $# = 1 ] || rows "$@"
}

# report DB SQL PARAMETERS: what the shell prints. PARAMETERS is a file of '.parameter set' lines.
report() {
	{
		[ ! -s "$3" ] || echo ".load $TRACEDB_EXTENSION"
		echo '.parameter init'
		cat "$3"
		printf '.headers on\n.mode csv\n'
		cat "$2"
	} | sqlite3 -bail -readonly "$1" 2>&1 | tr -d '\r'
}

# What the header promises: one statement, the parameters, the order. PARAMETERS is a file of their names.
static() {
	sed 's/--.*//' "$1" >"$tmp/code"
	[ "$(grep -c ';[[:space:]]*$' "$tmp/code")" = 1 ] || echo 'not exactly one statement'
	sed 's/^/:/' "$2" | sort >"$tmp/declared"
	sed "s/'[^']*'//g" "$tmp/code" | grep -o ':[a-z_][a-z_]*' | sort -u >"$tmp/used"
	diff "$tmp/declared" "$tmp/used"
	order=$(sed -n 's/^-- order: //p' "$1")
	last=$(grep '^ORDER BY ' "$tmp/code" | tail -n 1 | sed 's/^ORDER BY //; s/;$//')
	[ "$order" = "$last" ] || echo "order is '$order', but the statement ends with '$last'"
}

one_report() {
	sql=$root/queries/$1.sql
	dir=$here/$1
	: >"$tmp/none"

	static "$sql" "$tmp/heads/$1.params" >"$tmp/why"
	check "$1: header"

	database "$tmp/empty.db" >"$tmp/why"
	report "$tmp/empty.db" "$sql" "$tmp/none" | grep -E '^(Parse|Runtime) error' >>"$tmp/why"
	check "$1: empty database"

	for rows in "$dir/setup.sql" "$dir"/*/setup.sql; do
		[ ! -e "$rows" ] || one_setup "$1" "$sql" "$(dirname "$rows")"
	done
}

# one_setup REPORT SQL FOLDER: the rows of the folder, and what is expected of them.
one_setup() {
	sql=$2
	case $1 in
	compare/*) base=$here/compare/base.sql ;;
	*) base=/dev/null ;;
	esac
	what=$1${3#"$here/$1"}
	database "$tmp/run.db" "$base" "$3/setup.sql" >"$tmp/why"
	check "$what: setup"

	paste -sd, "$tmp/heads/$1.columns" >"$tmp/columns"
	for expect in "$3"/expect*.csv; do
		name=$(basename "$expect" .csv)
		sed -n 's/^# \(:[a-z_]* .*\)/.parameter set \1/p' "$expect" >"$tmp/params"
		if [ -s "$tmp/params" ] && [ -z "${TRACEDB_EXTENSION:-}" ]; then
			continue
		fi
		grep -v '^#' "$expect" >"$tmp/want"
		report "$tmp/run.db" "$sql" "$tmp/params" >"$tmp/got"
		{
			if [ -s "$tmp/want" ]; then
				head -n 1 "$tmp/want" | diff "$tmp/columns" -
			fi
			diff "$tmp/want" "$tmp/got"
		} >"$tmp/why"
		check "$what: $name"
		if [ "$name" = expect ] && [ -n "${TRACEDB_EXTENSION:-}" ] && grep -qx start_ns "$tmp/heads/$1.params" && ! grep -q '^-- timed:' "$sql"; then
			echo '.parameter set :start_ns 0' >"$tmp/params"
			report "$tmp/run.db" "$sql" "$tmp/params" | diff "$tmp/want" - >"$tmp/why"
			check "$what: $name, all of the time asked for"
		fi
	done
}

# A file from elsewhere may hold a view that asks for calls "during" a SELECT of its own: that would run with its reader's rights.
a_view() {
	{
		database "$tmp/trap.db"
		sqlite3 "$tmp/trap.db" "CREATE VIEW trap AS SELECT calls FROM tracedb_stat WHERE by = 'all' AND during =
			'SELECT 1, writefile(''$tmp/trapped'', ''x'')'"
		printf '.load %s\nSELECT * FROM trap;\n' "$TRACEDB_EXTENSION" | sqlite3 "$tmp/trap.db" >"$tmp/said" 2>&1
		grep -q 'unsafe use of virtual table' "$tmp/said" || cat "$tmp/said"
		[ ! -e "$tmp/trapped" ] || echo 'the view wrote a file'
	} >"$tmp/why"
	check 'extension: a view of the file runs no SELECT'
}

if [ $# -eq 0 ]; then
	for sql in "$root"/queries/*.sql "$root"/queries/compare/*.sql; do
		name=${sql#"$root/queries/"}
		set -- "$@" "${name%.sql}"
	done
fi
python3 "$here/../heads.py" "$tmp/heads" "$root/queries" "$@" || exit 1
for name; do
	one_report "$name"
done
if [ -n "${TRACEDB_EXTENSION:-}" ]; then
	a_view
fi
echo "1..$n"
[ "$failed" -eq 0 ]
