#!/bin/sh
# SPDX-License-Identifier: MIT
# check-paths.py must find what it is there to find: one planted offence per rule, and none more.
# usage: check-paths-test.sh CHECK
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/common/json" "$tree/importers/ps"
: >"$tree/common/scan.c"
: >"$tree/importers/ps/ps.c"
: >"$tree/docs/SCHEMA.md"
failures=0

# offence WANT FILE TEXT: the text in the file is (WANT 1) or is not (0) an offence.
offence()
{
	printf '%s\n' "$3" >"$tree/$2"
	status=0
	found=$(python3 "$check" "$tree") || status=$?
	lines=$(printf '%s' "$found" | grep -c '' || true)
	if [ "$status" != "$1" ] || [ "$lines" != "$1" ]; then
		echo "$2: '$3': exit $status, $lines findings, want $1"
		failures=$((failures + 1))
	fi
	rm "$tree/$2"
}

offence 0 docs/A.md "Digits are read by \`common/scan.c\`, JSON in \`common/json/\`."
offence 1 docs/A.md "Digits are read by \`common/digits.c\`."
offence 1 README.md '    common/xml/     what is not there'
offence 0 docs/A.md "A format is in \`importers/<family>/\`, as importers/*/ps.c, importers/NAME/ps.c."
offence 1 docs/A.md "A format is in \`importers/<format>.c\`."
offence 0 docs/A.md 'Columns are in [SCHEMA.md](SCHEMA.md#call), see [what](https://www.sqlite.org/docs/nothing.html).'
offence 1 docs/A.md 'Columns are in [TABLES.md](TABLES.md).'
offence 0 common/a.c '/* Digits are read by common/scan.c, requests/s by others. */'
offence 1 common/a.c '/* Digits are read by
 * common/digits.c. */'
offence 0 common/a.c '	path = "common/digits.c";'
offence 1 common/a.py '# what common/digits.c makes'
offence 1 common/a.sql '-- what common/digits.c makes'
[ $failures = 0 ]
