#!/bin/sh
# SPDX-License-Identifier: MIT
# A build that needs nothing of a system but glibc, as tracedb-VERSION-MACHINE.tar.xz in the folder of the build.
# usage: tarball.sh FOLDER      from the root of the sources, on Debian
#
# Libraries are linked statically, by pkg-config files that name their archives. libarchive's refers to libxml2 and libacl only from
# formats and disk readers that tracedb does not call, so that those stay out. cJSON has no archive in Debian, and that of xxhash lacks the
# functions for wide vectors: these two come along, as libraries. tracedb-record needs neither: with capabilities it may not use what
# lies beside it.
set -eu
out=$1
machine=$(uname -m)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -n 1)
name=tracedb-$version-$machine
lib=$(pkg-config --variable=libdir libcjson)

# pkg-config's name, the Debian package of the archives or of the library, what is given to the linker.
libraries()
{
	cat <<-TEXT
	libarchive libarchive-dev -l:libarchive.a
	libnettle nettle-dev -l:libnettle.a
	liblzma liblzma-dev -l:liblzma.a
	liblz4 liblz4-dev -l:liblz4.a
	libbz2 libbz2-dev -l:libbz2.a
	libzstd libzstd-dev -l:libzstd.a
	zlib zlib1g-dev -l:libz.a
	sqlite3 libsqlite3-dev -l:libsqlite3.a
	libgcrypt libgcrypt20-dev -l:libgcrypt.a
	libgpg-error libgpg-error-dev -l:libgpg-error.a
	libbpf libbpf-dev -l:libbpf.a
	libelf libelf-dev -l:libelf.a
	libcjson libcjson1 -lcjson
	libxxhash libxxhash0 -l:libxxhash.a -lxxhash
	TEXT
}

# linked NAME...
linked()
{
	for wanted in "$@"; do
		libraries | sed -n "s/^$wanted [^ ]* //p"
	done | tr '\n' ' '
}

# pc NAME ARGUMENT...: the system's file, with another line for the linker.
pc()
{
	pc=$1
	shift
	sed "/^Requires/d; /^Libs\.private/d; s|^Libs:.*|Libs: -L\${libdir} $*|" "$(pkg-config --variable=pcfiledir "$pc")/$pc.pc" >"$out/pkgconfig/$pc.pc"
}

write_pcs()
{
	mkdir -p "$out/pkgconfig"
	pc libarchive "$(linked libarchive libnettle liblzma libzstd liblz4 libbz2 zlib)"
	pc libgcrypt "$(linked libgcrypt libgpg-error)"
	pc libbpf "$(linked libbpf libelf zlib)"
	pc libelf "$(linked libelf zlib)"
	pc sqlite3 "$(linked sqlite3)" -lm
	for name_only in libzstd zlib; do
		pc $name_only "$(linked $name_only)"
	done
	for along in libcjson libxxhash; do
		pc $along "$(linked $along)" "-Wl,-rpath,\\\\\$ORIGIN/../lib/tracedb"
	done
}

# Who made what is inside, and where its sources are.
write_licences()
{
	licences=$1
	mkdir -p "$licences"
	cp LICENSE "$licences/tracedb"
	{
		echo "What is in the programs and in lib/tracedb besides tracedb, and the version of the Debian package that it is from."
		echo "The terms of each are in the file of its name. Its sources are at https://sources.debian.org under that version;"
		echo "'./run tarball' in tracedb's sources links it again."
		echo
		libraries | while read -r _ package _; do
			cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
			dpkg-query -W -f='${source:Package} ${source:Version} (${Package})\n' "$package"
		done
	} >"$licences/SOURCES"
}

rm -rf "$out"
write_pcs
PKG_CONFIG_PATH=$PWD/$out/pkgconfig meson setup "$out/build" --prefix=/ --libdir=lib -Dpython.purelibdir=/lib/tracedb/python \
	-Dlazy_libraries=false -Dcollector=enabled -Dwerror=true --strip
ninja --quiet -C "$out/build"
DESTDIR=$PWD/$out/$name meson install -C "$out/build" --no-rebuild --quiet
cp -L "$lib/libcjson.so.1" "$lib/libxxhash.so.0" "$out/$name/lib/tracedb/"
rm -rf "$out/$name/lib/pkgconfig"
doc=$out/$name/share/doc/tracedb
mkdir -p "$doc"
cp -r README.md CHANGELOG.md docs/*.md examples "$doc/"
write_licences "$doc/licences"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@"${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}" -C "$out" -c "$name" |
	xz -T 2 >"$out/$name.tar.xz"
