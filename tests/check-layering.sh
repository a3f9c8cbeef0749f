#!/bin/sh
# SPDX-License-Identifier: MIT
# Keeps the dependency arrows of docs/ARCHITECTURE.md true:
#     common <- schema <- store <- importers <- cli ;  schema <- analyzer <- cli ;  schema <- collector
# and those inside two of its folders:
#     importers/align <- importers/core <- each family ;  importers/core <- importers/job <- cli
#     store/stage, store/pages <- store <- store/write <- store/derive
# usage: check-layering.sh [ROOT]; prints every offending line, exits 1 if there is one.
set -eu
export LC_ALL=C
cd "${1:-.}"

findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

# finding RULE: reads 'FILE:LINE:TEXT' lines, each of which breaks the rule.
finding()
{
	why=$1 awk '{ print $0 "    (" ENVIRON["why"] ")" }' >>"$findings"
}

sources()
{
	for dir in "$@"; do
		[ ! -d "$dir" ] || find "$dir" -name '*.[ch]'
	done | sort
}

# matches REGEX DIR...: /dev/null keeps grep from reading stdin where there are no files.
matches()
{
	regex=$1
	shift
	sources "$@" | xargs grep -nE -- "$regex" /dev/null || true
}

# layer DIR ALLOWED: what it may include; own includes are written from the root, "folder/file.h".
layer()
{
	matches '^#[[:space:]]*include "' "$1" |
		grep -vE "include \"($2)/" | finding "$1 may include $(echo "$2" | tr '|' ' ') only" || true
}

layer common 'common'
layer schema 'common|schema'
layer store 'common|schema|store'
layer importers 'common|schema|store|importers'
layer collector 'common|schema|collector'
layer analyzer 'common|schema|analyzer|queries'
layer cli 'common|schema|store|importers/core|importers/job|collector|analyzer|queries|cli'

layer importers/align 'common|schema|store|importers/align'
layer importers/core 'common|schema|store|importers/align|importers/core'
layer importers/job 'common|schema|store|importers/align|importers/core|importers/job'
families=
for dir in importers/*/; do
	family=$(basename "$dir")
	case $family in
	align | core | job | '*') continue ;;
	esac
	families=$families${families:+'|'}$family
	layer "importers/$family" "common|schema|store|importers/core|importers/$family"
done

layer store/stage 'common|schema|store/stage'
layer store/pages 'common|schema|store/pages'
matches '^#[[:space:]]*include "store/(write|derive)/' store | grep '^store/[^/]*:' |
	finding 'store may not include what makes a file of it' || true
matches '^#[[:space:]]*include "store/derive/' store/write |
	finding 'store/write may not include store/derive' || true

# The core asks every importer of its list the same: it calls none by its name.
listed=$(grep -oshE 'td_importer_[a-z0-9_]+' importers/core/registry.c | paste -sd '|' -)
matches "\\btd_(importer_)?(${families:-none})(_|\\b)|\\b(${listed:-none})\\b" importers/core |
	grep -vE '^importers/core/(registry\.c|importers\.h):' |
	finding 'importers/core names a family in its list only' || true

# A private header is shared by the files beside it: not by other folders, not by those below it, not by tests.
matches '^#[[:space:]]*include "[^"]*_private\.h"' common schema store importers collector analyzer cli tests bench |
	grep -vE '^(.+)/[^/:]+:[0-9]+:#[[:space:]]*include "\1/[^/"]+"' | finding 'private to its folder'

# library HEADER WHERE: the foreign headers that may be used in few places only.
library()
{
	matches "include <$1" common schema store importers collector analyzer cli |
		grep -vE "^($2):" | finding "<$1...> belongs to $2" || true
}

# small documents that are read as a whole; events, and what must keep its digits, are for common/json
library 'cjson/' 'importers/(kineto|sysstat)/[a-z0-9_]*\.[ch]'
library 'archive(_entry)?\.h' 'common/libarchive\.h'
library 'gcrypt\.h' 'analyzer/redact/libgcrypt\.h'
library '(zstd|zlib)\.h' 'common/(unpack|pack|frames|zstd_file)\.c|collector/spool/frame\.c|analyzer/parquet/(chunk|group)[a-z_]*\.[ch]'
# what nsys exports is an SQLite database; only one function opens any of them, and it makes them harmless
library 'sqlite3\.h' '(schema|store|analyzer|cli)/[a-z0-9_/]*\.[ch]|importers/nsys/[a-z]*\.[ch]'
matches '\bsqlite3_open(16|_v2)? ?\(' common schema store importers collector analyzer cli |
	grep -v '^schema/sqlite\.c:' | finding 'td_sqlite_open() opens databases' || true
library 'bpf/' 'collector/.*'

# Libraries return errors, commands print them; where results go is for output.c to open. Strings and comments may speak of printf.
# shellcheck disable=SC2016 # what awk has to expand
sources common schema store importers analyzer | grep -vxE 'common/log\.c|analyzer/format/output\.c' |
	xargs awk '{
		gsub(/"([^"\\]|\\.)*"/, "")
		sub(/\/\*.*/, "")
		sub(/^[ \t]+\*.*/, "")
	}
	/(^|[^A-Za-z0-9_])(v?printf|puts|putchar|perror|exit|abort) ?\(/ || /(^|[^A-Za-z0-9_])std(out|err)($|[^A-Za-z0-9_])/ {
		print FILENAME ":" FNR ":" $0
	}' /dev/null | finding 'libraries never print or exit'

# An importer that is not in the table would be dead code.
matches '^const struct td_importer td_importer_' importers |
	while read -r line; do
		importer=$(expr "$line" : '.*struct td_importer \([a-z0-9_]*\)')
		grep -qs "&$importer\b" importers/core/registry.c || echo "$line"
	done | finding 'not in the table of importers/core/registry.c'

cat "$findings"
[ ! -s "$findings" ]
