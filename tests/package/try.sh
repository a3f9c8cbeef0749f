#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs a package in a new minimal Debian 12, records there, reads what was recorded, and removes the package again.
# usage: try.sh PACKAGE.deb      as root, with debootstrap and Debian's packages at hand
set -eu
deb=$(realpath "$1")

say()
{
	echo "try.sh: $*"
}

# shellcheck source=tests/package/chroot.sh
. "$(dirname "$0")/chroot.sh"

# Files of a folder or of several, without what apt and dpkg keep for themselves.
files()
{
	(cd "$root" && find etc usr opt var -path var/lib/apt -prune -o -path var/cache -prune -o -path var/log -prune -o -path var/lib/dpkg -prune -o -print) | sort
}

make_root bookworm
# the mirrors of this machine, in the place of debootstrap's
rm -f "$root/etc/apt/sources.list"
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
cp /etc/resolv.conf "$root/etc/"
inside apt-get -qq update >/dev/null

cp "$deb" "$root/root/tracedb.deb"
# what it needs stays installed: only what is the package's own has to go
inside dpkg --unpack /root/tracedb.deb >/dev/null
inside dpkg --remove --force-depends tracedb >/dev/null 2>&1
inside apt-get -qq satisfy -y --no-install-recommends "$(dpkg-deb -f "$deb" Depends)" >/dev/null
files >"$root.before"
inside dpkg -i /root/tracedb.deb >/dev/null
say "installed: $(inside tracedb --version | head -n 1)"
inside sh -c 'cd /root && tracedb record -q -e file_io -o run.db -- cat /etc/hostname && tracedb report file_io -f csv run.db' |
	grep -q '^/etc/hostname,.*,1,' || {
	say 'the recording does not have the file that was read'
	exit 1
}
inside tracedb check >/dev/null || true
say 'recorded and read'
inside rm -f /root/run.db
inside dpkg --purge tracedb >/dev/null
files >"$root.after"
diff "$root.before" "$root.after" >"$root.diff" || {
	say 'the package leaves files behind, or took some:'
	cat "$root.diff"
	exit 1
}
rm -f "$root".before "$root".after "$root".diff
say 'removed, with all that it brought'
