#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands, options and event sets of --help, of the man page and of the completion are the same.
# usage: check-man.sh TRACEDB MAN-PAGE COMPLETION
set -eu
export LC_ALL=C
tracedb=$1
man=$2
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

# The commands that have a heading of their own.
man_commands()
{
	sed -n 's/^\.Ss \([a-z]*\)$/\1/p' "$man"
}

# Options of a heading, and of those that its text refers to.
man_options()
{
	awk -v command="$1" '
		/^\.S[sh] / { section = substr($0, 5) }
		/^\.Sx / && section == command { sub(/^\.Sx /, ""); sub(/ [.,]$/, ""); wanted[$0] = 1 }
		/^\.It Fl / {
			for (i = 2; i < NF; i++)
				if ($i == "Fl")
					options[section] = options[section] " -" $(i + 1)
		}
		END {
			wanted[command] = 1
			for (s in wanted)
				print options[s]
		}' "$man" | tr -s ' ' '\n' | sed '/^$/d'
}

# '  * file_io    text' is on by default, '    faults     text' is not.
help_sets()
{
	"$tracedb" record --help | sed -n '/^Event sets/,/^$/s/^  \([* ]\) \([a-z_]*\) .*/\2 \1/p' | sed 's/ *$//'
}

man_sets()
{
	sed -n '/^\.It Fl e Ar SETS/,/^\.It Fl p /s/^\.It Cm \([a-z_]*\)/\1/p' "$man" | sed 's/Pq on by default/*/'
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
man_commands | sort >"$scratch/got"
compare "commands" "$man"
completed help '' >"$scratch/got"
compare "commands" "$completion"

for command in $(help_commands); do
	help_options "$command" | sort >"$scratch/help"
	[ -s "$scratch/help" ] || {
		echo "$command: --help lists no options"
		exit 1
	}
	man_options "$command" | sort >"$scratch/got"
	compare "$command" "$man"
	completed "$command" - >"$scratch/got"
	compare "$command" "$completion"
done

help_sets | sort >"$scratch/help"
[ -s "$scratch/help" ] || {
	echo "tracedb record --help lists no event sets"
	exit 1
}
man_sets | sort >"$scratch/got"
compare "record -e" "$man"
help_sets | sed 's/ .*//; $a all' | sort >"$scratch/help"
completed record -e '' | sort >"$scratch/got"
compare "record -e" "$completion"
[ $failed = 0 ] || exit 1

command -v mandoc >/dev/null || {
	echo "the man page's syntax was not checked: there is no mandoc"
	exit 77
}
mandoc -T lint -W warning "$man"
