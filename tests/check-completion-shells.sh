#!/bin/sh
# SPDX-License-Identifier: MIT
# What zsh and fish complete: the same questions as of bash, in the shells themselves.
# usage: check-completion-shells.sh TRACEDB FOLDER-OF-COMPLETION
set -eu
export LC_ALL=C
# without sanitizers, where there is one: it is run for every word
tracedb=$(realpath "${TRACEDB_PLAIN:-$1}")
folder=$(realpath "$2")
ask_zsh=$(realpath "$(dirname "$0")/complete.zsh")
failed=0
asked=0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/here" "$scratch/here/runs" "$scratch/home"
ln -s "$tracedb" "$scratch/bin/tracedb"
export PATH="$scratch/bin:$PATH" HOME="$scratch/home"
cd "$scratch/here"
touch run1.db notes.txt fsync.bt

ask()
{
	if [ "$1" = zsh ]; then
		zsh -f "$ask_zsh" "$folder" "$2"
	else
		fish --no-config -c "source $folder/tracedb.fish; complete -C '$2'" | cut -f 1 | sort -u
	fi
}

# offers SHELL LINE EXPECTED: EXPECTED is what is offered, with blanks in between.
offers()
{
	got=$(ask "$1" "$2" | paste -s -d ' ')
	asked=$((asked + 1))
	[ "$3" != "$got" ] || return 0
	echo "$1, '$2': expected '$3', got '$got'"
	failed=1
}

for shell in zsh fish; do
	command -v $shell >/dev/null || {
		echo "there is no $shell"
		continue
	}
	offers $shell 'tracedb inf' info
	offers $shell 'tracedb report --f' '--filter-time --format --from-partial'
	offers $shell 'tracedb report -f t' 'table tsv'
	offers $shell 'tracedb report --compat n' nsys
	offers $shell 'tracedb report osrt' osrt_sum
	offers $shell 'tracedb import --layout fs' fsync.bt
	offers $shell 'tracedb flame --what c' 'calls cpu'
	offers $shell 'tracedb timeline --lanes op' opens
	offers $shell 'tracedb report --phase r' ''
	offers $shell 'tracedb formats n' ''
done
# the last one of a list: zsh keeps what is before it
! command -v zsh >/dev/null || offers zsh 'tracedb record -e file_io,sch' sched
! command -v zsh >/dev/null || offers zsh 'tracedb timeline --lanes gpu,op' opens
! command -v fish >/dev/null || offers fish 'tracedb record -e file_io,sch' file_io,sched
! command -v fish >/dev/null || offers fish 'tracedb timeline --lanes gpu,op' gpu,opens

[ $failed = 0 ] || exit 1
[ $asked -gt 9 ] || exit 77
