#!/bin/sh
# SPDX-License-Identifier: MIT
# What the programs and libraries of an unpacked tarball need of a system: glibc of GLIBC at most, and nothing else.
# usage: needs.sh FOLDER GLIBC      2.35 is that of Ubuntu 22.04; Debian 12 has 2.36, Ubuntu 24.04 2.39, Debian 13 2.41
set -eu
export LC_ALL=C
folder=$1
most=$2
failed=0

offence()
{
	echo "needs.sh: $*"
	failed=1
}

objects()
{
	find "$folder" -type f | sort | while read -r file; do
		! readelf -h "$file" >/dev/null 2>&1 || echo "$file"
	done
}

# The versions of glibc whose symbols it has to find, newest last.
glibc()
{
	readelf -V -W "$1" | sed -n '/\.gnu\.version_r/,$s/.*Name: GLIBC_\([0-9.]*\) .*/\1/p' | sort -uV
}

needed()
{
	readelf -d -W "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

[ -n "$(objects)" ] || offence "there are no programs in $folder"
for file in $(objects); do
	newest=$(glibc "$file" | tail -n 1)
	[ -n "$newest" ] || offence "$file: no version of glibc found"
	[ "$(printf '%s\n' "$newest" "$most" | sort -V | tail -n 1)" = "$most" ] || offence "$file needs glibc $newest"
	for library in $(needed "$file"); do
		case $library in
		libc.so.6 | libm.so.6 | ld-linux-*.so.[12]) continue ;;
		esac
		[ "$file" = "$folder/bin/tracedb" ] || offence "$file needs $library"
		[ -f "$folder/lib/tracedb/$library" ] || offence "$file needs $library, which is not in lib/tracedb"
	done
done
for file in bin/tracedb bin/tracedb-record lib/tracedb/tracedb.so lib/tracedb/libtracedb-cuda.so; do
	[ -x "$folder/$file" ] || offence "there is no $file"
done
# each library's terms, and those of tracedb
for package in $(sed -n 's/.*(\(.*\))$/\1/p' "$folder/share/doc/tracedb/licences/SOURCES") tracedb; do
	[ -s "$folder/share/doc/tracedb/licences/$package" ] || offence "no terms of $package"
done
exit $failed
