#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands, options and event sets of --help, of the man pages and of the completion are the same.
# usage: check-man.sh TRACEDB FOLDER-OF-PAGES COMPLETION; by $TRACEDB_PLAIN, the program without sanitizers, where there is one
set -eu
export LC_ALL=C
tracedb=${TRACEDB_PLAIN:-$1}
pages=$2
man=$pages/tracedb.1
completion=$3
complete=$(dirname "$0")/complete.bash
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compare WHAT WHERE: the sorted lines in help against those in got.
compare()
{
	cmp -s "$scratch/help" "$scratch/got" && return 0
	failed=1
	comm -23 "$scratch/help" "$scratch/got" | sed "s|^|$1: in --help but not in $2: |"
	comm -13 "$scratch/help" "$scratch/got" | sed "s|^|$1: in $2 but not in --help: |"
}

help_commands()
{
	"$tracedb" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# '  -o, --output FILE   text', '      --force   text'
help_options()
{
	"$tracedb" "$1" --help | sed -n 's/^ *\(-[A-Za-z]\)\{0,1\},\{0,1\} *\(--[a-z-]*\).*/\1 \2/p' |
		tr -s ' ' '\n' | sed '/^$/d'
}

# 'COMMAND: what it does'
help_purposes()
{
	"$tracedb" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1: \2/p'
}

# The same from the list of the first page.
man_purposes()
{
	sed -n '/^\.It Xr tracedb-/{N;s/^\.It Xr tracedb-\([a-z]*\) 1\n/\1: /;p;}' "$man"
}

# And from the heads of the others.
page_purposes()
{
	for page in "$pages"/tracedb-*.1; do
		sed -n '/^\.Nm tracedb-/{N;s/^\.Nm tracedb-\([a-z]*\)\n\.Nd /\1: /;p;q;}' "$page"
	done
}

man_options()
{
	sed -n 's/^\.It Fl /Fl /p' "$pages/tracedb-$1.1" | awk '{
		for (i = 1; i < NF; i++)
			if ($i == "Fl")
				print "-" $(i + 1)
	}'
}

# '  * file_io    text' is on by default, '    faults     text' is not.
help_sets()
{
	"$tracedb" record --help | sed -n '/^Event sets/,/^$/s/^  \([* ]\) \([a-z_]*\) .*/\2 \1/p' | sed 's/ *$//'
}

man_sets()
{
	sed -n '/^\.It Fl e Ar SETS/,/^\.It Fl p /s/^\.It Cm \([a-z_]*\)/\1/p' "$pages/tracedb-record.1" | sed 's/Pq on by default/*/'
}

completed()
{
	bash "$complete" "$completion" "$tracedb" "$@"
}

help_commands | sort >"$scratch/help"
[ -s "$scratch/help" ] || {
	echo "tracedb --help lists no commands"
	exit 1
}
completed help '' >"$scratch/got"
compare "commands" "$completion"
help_purposes | sort >"$scratch/help"
man_purposes | sort >"$scratch/got"
compare "commands" "$man"
page_purposes | sort >"$scratch/got"
compare "commands" "$pages/tracedb-*.1"

for command in $(help_commands); do
	help_options "$command" | sort >"$scratch/help"
	[ -s "$scratch/help" ] || {
		echo "$command: --help lists no options"
		exit 1
	}
	man_options "$command" | sort >"$scratch/got"
	compare "$command" "$pages/tracedb-$command.1"
	completed "$command" - >"$scratch/got"
	compare "$command" "$completion"
done

help_sets | sort >"$scratch/help"
[ -s "$scratch/help" ] || {
	echo "tracedb record --help lists no event sets"
	exit 1
}
man_sets | sort >"$scratch/got"
compare "record -e" "$pages/tracedb-record.1"
help_sets | sed 's/ .*//; $a all' | sort >"$scratch/help"
completed record -e '' | sort >"$scratch/got"
compare "record -e" "$completion"
[ $failed = 0 ] || exit 1

command -v mandoc >/dev/null || {
	echo "the man pages' syntax was not checked: there is no mandoc"
	exit 77
}
mandoc -T lint -W warning "$pages"/tracedb*.1
