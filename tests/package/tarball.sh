#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks a tarball in a new minimal Debian, which has none of the libraries, and imports, asks and records there. What comes of it is
# to be, byte by byte, what a program that was built for this machine makes of the same.
# usage: tarball.sh TARBALL TRACEDB RELEASE      as root, from the root of the sources, with debootstrap
set -eu
tarball=$(realpath "$1")
tracedb=$(realpath "$2")
release=$3
name=$(basename "$tarball" .tar.xz)

die()
{
	echo "tarball.sh: $release: $*"
	exit 1
}

# shellcheck source=tests/package/chroot.sh
. "$(dirname "$0")/chroot.sh"

# What is done in a folder with the run by a program, as text for sh.
steps()
{
	cat <<-'TEXT'
	set -eu
	cd "$1"
	tracedb=$2
	export LC_ALL=C.UTF-8
	exec 2>messages
	"$tracedb" import -q -o run.db run
	for packing in gz xz bz2 zst; do
		"$tracedb" import -q -o "$packing.db" "run.tar.$packing"
		"$tracedb" report file_io -f csv -o "$packing.csv" "$packing.db"
	done
	"$tracedb" report overview,file_io,osrt_sum,gpu_idle -f json -o reports.json run.db
	"$tracedb" analyze -f csv -o findings.csv run.db
	"$tracedb" query -f csv -o query.csv run.db 'SELECT op, count(*), sum(dur_ns) FROM io_calls GROUP BY op ORDER BY op'
	"$tracedb" timeline run.db >timeline.txt
	"$tracedb" timeline run.db -o run.svg
	"$tracedb" timeline run.db -o run.html
	"$tracedb" export -q run.db --to perfetto=run.pftrace
	"$tracedb" export -q run.db --to sql=run.sql.zst
	"$tracedb" export -q run.db --to parquet=lake --run a
	printf 0123456789abcdef >key
	"$tracedb" export -q run.db --redact --key key --to csv=redacted.csv -t file
	rm -- *.db
	TEXT
}

# fill FOLDER: with the run, as it is and packed.
fill()
{
	mkdir "$1"
	cp -a examples/stall/run "$1/run"
	for packing in gz xz bz2 zst; do
		tar -C examples/stall --auto-compress -cf "$1/run.tar.$packing" run
	done
}

make_root "$release" || die 'debootstrap does not have it'
mkdir "$root/opt/work"
tar -C "$root/opt" -xf "$tarball"
program=/opt/$name/bin/tracedb
fill "$root/opt/work/there"
cp -a "$root/opt/work/there" "$root/opt/work/here"
steps >"$root/opt/work/steps.sh"
inside sh /opt/work/steps.sh /opt/work/there "$program" || die "a step failed: $(tail -n 1 "$root/opt/work/there/messages")"
sh "$root/opt/work/steps.sh" "$root/opt/work/here" "$tracedb" || die "a step failed here: $(tail -n 1 "$root/opt/work/here/messages")"
diff -r "$root/opt/work/there" "$root/opt/work/here" || die 'results are not those of the program of this machine'
[ "$(find "$root/opt/work/there" -type f -newer "$root/opt/work/steps.sh" | wc -l)" -gt 20 ] || die 'hardly any results'
inside sh -c "cd /root && $program record -q -e file_io -o run.db -- cat /etc/hostname && $program report file_io -f csv run.db" |
	grep -q '^/etc/hostname,.*,1,' || die 'the recording does not have the file that was read'
echo "tarball.sh: $release, glibc $(inside ldd --version | sed -n '1s/.* //p'): $(inside "$program" --version | head -n 1) imports, reports, draws, exports and records"
