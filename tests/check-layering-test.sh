#!/bin/sh
# SPDX-License-Identifier: MIT
# check-layering.sh must find what it is there to find: one planted offence per rule, and none more.
# usage: check-layering-test.sh CHECK
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for dir in common/json schema store/stage store/pages store/write store/derive importers/core importers/align importers/job \
	importers/ps importers/strace importers/sysstat analyzer cli tests/unit; do
	mkdir -p "$tree/$dir"
done
n=0

# offence WANT FILE TEXT: the text in the file is (WANT 1) or is not (0) an offence. What is called a.c or a.h has a number, so that
# all of them lie in one tree, which is looked at once.
offence()
{
	n=$((n + 1))
	file=$(echo "$2" | sed "s/^\(.*\/\)a\.\([ch]\)\$/\1a$n.\2/")
	[ ! -e "$tree/$file" ]
	printf '%s\n' "$3" >"$tree/$file"
	[ "$1" = 0 ] || echo "$file" >>"$tree/wanted"
}

# Each file that is an offence is found once, and no other.
found_all()
{
	sh "$check" "$tree" >"$tree/findings" && exit 1
	sed 's/:.*//' "$tree/findings" | sort >"$tree/found"
	sort "$tree/wanted" | diff - "$tree/found"
}

offence 0 schema/a.c '#include "common/scan.h"'
offence 1 common/a.h '#include "schema/rows.h"'
offence 1 schema/a.c '#include "rows.h"'
offence 1 importers/a.c '#include "analyzer/report.h"'
offence 1 analyzer/a.c '#include "importers/core/import.h"'
offence 0 cli/a.c '#include "importers/core/import.h"'
offence 0 store/a.c '#include "store/a_private.h"'
offence 0 store/write/a.h '#include "store/write/a_private.h"'
offence 1 store/write/a.c '#include "store/a_private.h"'
offence 1 store/a.c '#include "store/stage/a_private.h"'
offence 1 importers/a.c '#include "store/a_private.h"'
offence 1 tests/unit/a.c '#include "store/a_private.h"'
offence 1 tests/unit/a.c '#include "a_private.h"'
offence 0 importers/sysstat/a.c '#include <cjson/cJSON.h>'
offence 1 importers/a.c '#include <cjson/cJSON.h>'
offence 1 cli/a.c '#include "importers/ps/ps.h"'
offence 0 importers/ps/a.c '#include "importers/core/import.h"'
offence 0 importers/ps/a.c '#include "importers/ps/ps.h"'
offence 1 importers/ps/a.c '#include "importers/strace/text.h"'
offence 1 importers/ps/a.c '#include "importers/align/align.h"'
offence 1 importers/core/a.c '#include "importers/ps/ps.h"'
offence 1 importers/core/a.c '#include "importers/job/job.h"'
offence 0 importers/core/a.c '#include "importers/align/ticks.h"'
offence 1 importers/core/a.c '	return td_ps_sniff(head, len);'
offence 1 importers/core/a.h 'extern const struct td_importer td_importer_ps;'
offence 0 importers/core/importers.h 'extern const struct td_importer td_importer_ps;'
offence 1 importers/align/a.c '#include "importers/core/import.h"'
offence 0 importers/job/a.c '#include "importers/align/align.h"'
offence 1 importers/job/a.c '#include "importers/strace/text.h"'
offence 1 store/stage/a.c '#include "store/store.h"'
offence 1 store/pages/a.c '#include "store/stage/stage.h"'
offence 0 store/a.c '#include "store/stage/stage.h"'
offence 1 store/a.c '#include "store/write/write.h"'
offence 0 store/write/a.c '#include "store/store.h"'
offence 1 store/write/a.c '#include "store/derive/derive.h"'
offence 0 store/derive/a.c '#include "store/write/write.h"'
offence 1 common/json/a.c '#include "schema/rows.h"'
offence 1 analyzer/a.c '#include <cjson/cJSON.h>'
offence 1 importers/a.c '#include <zlib.h>'
offence 0 common/unpack.c '#include <zstd.h>'
offence 1 importers/a.c '#include <sqlite3.h>'
offence 0 schema/sqlite.c '	rc = sqlite3_open_v2(name, &db, flags, NULL);'
offence 1 schema/a.c '	rc = sqlite3_open_v2(name, &db, flags, NULL);'
offence 1 importers/ps/a.c '	rc = sqlite3_open(name, &db);'
offence 1 cli/a.c '#include <bpf/libbpf.h>'
offence 1 common/a.c '	printf("x");'
offence 1 importers/a.c '	fputs("x", stderr);'
offence 1 analyzer/a.c '	exit(1);'
offence 0 analyzer/a.c '	snprintf(buf, sizeof(buf), "printf(%d)", x); /* as printf() does */'
offence 0 cli/a.c '	printf("x");'
offence 1 importers/a.c 'const struct td_importer td_importer_a = {'
found_all
: >"$tree/wanted"
find "$tree" -name 'a*.[ch]' -delete
echo '	&td_importer_a,' >"$tree/importers/core/registry.c"
offence 0 importers/a.c 'const struct td_importer td_importer_a = {'
offence 1 importers/core/a.c '	*ret = &td_importer_a;'
found_all
