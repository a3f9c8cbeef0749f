#!/bin/sh
# SPDX-License-Identifier: MIT
# Every importer must have a fuzz target.
# usage: check-listed.sh IMPORTERS_H NAME...
set -eu
header=$1
shift
declared=$(sed -n 's/^extern const struct td_importer td_importer_\([a-z0-9_]*\);.*/\1/p' "$header" | sort -u)
listed=$(printf '%s\n' "$@" | sort -u)
[ "$declared" = "$listed" ] || {
	echo "importers.h declares: $declared"
	echo "importers in tests/meson.build has: $listed"
	exit 1
}
