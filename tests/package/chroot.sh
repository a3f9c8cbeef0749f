# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# A new minimal Debian in $root, gone when the script ends. To be sourced.

root=$(mktemp -d)

leave()
{
	umount -R "$root/proc" "$root/sys" 2>/dev/null || true
	rm -rf --one-file-system "$root"
}
trap leave EXIT

inside()
{
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root "$@"
}

# make_root RELEASE: with what recording needs.
make_root()
{
	debootstrap --variant=minbase "$1" "$root" >"$root.log" 2>&1 || {
		tail "$root.log"
		rm -f "$root.log"
		return 1
	}
	rm -f "$root.log"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --make-rslave "$root/sys"
	mount -t tracefs tracefs "$root/sys/kernel/tracing" 2>/dev/null || true
}
