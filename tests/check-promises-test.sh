#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that check-promises.py finds a promise that nothing holds, and a test that is not there.
#
#     tests/check-promises-test.sh CHECK PAGE BUILD_FOLDER
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
finds() # what, in the page as 'sed' $2 leaves it
{
	sed "$2" "$page" >"$tmp/page.md"
	if python3 "$check" "$tmp/page.md" "$build" >"$tmp/found"; then
		echo "not found: $1" >&2
		exit 1
	fi
	grep -qF "$1" "$tmp/found"
}
check=$1 page=$2 build=$3
# shellcheck disable=SC2016 # the back quotes are those of the page
{
	finds 'no test text-reacts:' 's/`text-acts` |/`text-reacts` |/'
	finds 'nothing holds:' 's/| `report` |/|  |/'
}
