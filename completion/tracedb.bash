# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of tracedb for bash. Commands, options and what a value is are read from --help; below are the values that it does
# not list.

_tracedb_commands()
{
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _tracedb_options PROGRAM COMMAND: '  -o, --output FILE   text', '      --force   text'
_tracedb_options()
{
	"$1" "$2" --help 2>/dev/null | sed -n 's/^  *\(-[A-Za-z]\)\{0,1\},\{0,1\} *\(--[a-z-]*\).*/\1 \2/p'
}

# _tracedb_value PROGRAM COMMAND OPTION: what its value is called: FILE, TIME, ...; nothing if it takes none.
_tracedb_value()
{
	"$1" "$2" --help 2>/dev/null | sed -n "s/^  *\(-[A-Za-z], \)\{0,1\}$3\(, --[a-z-]*\)\{0,1\} \([^ ][^ ]*\)\( .*\)\{0,1\}\$/\3/p"
}

# _tracedb_names PROGRAM ARGUMENT...: the first column of what it prints as CSV, without the heading.
_tracedb_names()
{
	"$@" -f csv 2>/dev/null | sed -e 1d -e 's/,.*//'
}

# The words of a text that begin like the word.
_tracedb_reply()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# _tracedb_reply_files WORD [PATTERN]: files of the pattern, or all if there are none, and folders.
_tracedb_reply_files()
{
	local files folders

	compopt -o filenames 2>/dev/null
	mapfile -t files < <(compgen -f -X "!${2:-*}" -- "$1")
	[[ ${#files[@]} -gt 0 ]] || mapfile -t files < <(compgen -f -- "$1")
	mapfile -t folders < <(compgen -d -- "$1")
	COMPREPLY+=("${files[@]}" "${folders[@]}")
}

# _tracedb_reply_list NAMES WORD: 'NAME,NAME', of which the last one is completed.
_tracedb_reply_list()
{
	local before=

	[[ $2 != *,* ]] || before=${2%,*},
	_tracedb_reply "$1" "${2##*,}"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

# _tracedb_reply_reports PROGRAM WORD
_tracedb_reply_reports()
{
	_tracedb_reply_list "$(_tracedb_names "$1" report --list)" "$2"
}

# The event sets, which the help of record lists below its options.
_tracedb_sets()
{
	"$1" record --help 2>/dev/null | sed -n '/^Event sets/,$s/^  [* ] \([a-z_]*\) .*/\1/p'
}

# _tracedb_reply_value PROGRAM COMMAND OPTION WORD: false if the option takes no value.
_tracedb_reply_value()
{
	local value

	value=$(_tracedb_value "$1" "$2" "$3")
	[[ -n $value ]] || return 1
	case $2:$3:$value in
	record:-p:* | record:--pid:*) mapfile -t COMPREPLY < <(cd /proc && compgen -G "$4[0-9]*") ;;
	record:--trigger:*) _tracedb_reply "$(compgen -A signal | sed 's/^SIG//')" "$4" ;;
	record:--user:*) mapfile -t COMPREPLY < <(compgen -u -- "$4") ;;
	record:--cuda-graphs:*) _tracedb_reply 'graph node' "$4" ;;
	record:--cupti:*) _tracedb_reply_files "$4" '*.so*' ;;
	import:--format:*) _tracedb_reply "$(_tracedb_names "$1" formats)" "$4" ;;
	import:--tz:*) _tracedb_reply 'UTC' "$4" ;;
	export:--to:*) _tracedb_reply "$("$1" export --help 2>/dev/null | sed -n 's/^  \([a-z0-9-]*=\)[A-Z]*$/\1/p')" "$4" ;;
	analyze:-r:* | analyze:--rule:*) _tracedb_reply_list "$(_tracedb_names "$1" analyze --list)" "$4" ;;
	timeline:--lanes:*)
		_tracedb_reply_list "$("$1" timeline --help 2>/dev/null | sed -n '/^Lanes/,$s/^  \([a-z]*\) .*/\1/p')" "$4"
		;;
	flame:--what:*)
		_tracedb_reply "$("$1" flame --help 2>/dev/null | sed -n '/^Stacks/,$s/^  \([a-z]*\) .*/\1/p')" "$4"
		;;
	timeline:--compare:*) _tracedb_reply_files "$4" '*.db' ;;
	report:--compat:*) _tracedb_reply 'nsys' "$4" ;;
	*:SETS) _tracedb_reply_list "all $(_tracedb_sets "$1")" "$4" ;;
	*:FORMAT) _tracedb_reply 'table csv tsv json ndjson md html' "$4" ;;
	*:boot=*) _tracedb_reply 'boot=' "$4" ;;
	*:LEVEL) _tracedb_reply 'info warning critical' "$4" ;;
	*:UNIT) _tracedb_reply 'ns us ms s' "$4" ;;
	*:WHAT) _tracedb_reply 'file template directory process class device gpu time' "$4" ;;
	*:FILE.bt*) _tracedb_reply_files "$4" '*.bt' ;;
	*:FILE | *:PATH) _tracedb_reply_files "$4" ;;
	*:DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$4")
		;;
	esac
	return 0
}

# bash takes '--option=value' for three words.
_tracedb()
{
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
	local option=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_tracedb_reply "$(_tracedb_commands "$program") help --help --version" "$word"
		return
	fi
	if [[ $word == '=' ]]; then
		word=
	elif [[ $option == '=' ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if _tracedb_reply_value "$program" "$command" "$option" "$word"; then
		return
	fi
	if [[ $word == -* ]]; then
		_tracedb_reply "$(_tracedb_options "$program" "$command")" "$word"
		return
	fi
	case $command in
	import) _tracedb_reply_files "$word" ;;
	report)
		_tracedb_reply_reports "$program" "$word"
		_tracedb_reply_files "$word" '*.db'
		;;
	help) _tracedb_reply "$(_tracedb_commands "$program")" "$word" ;;
	analyze | compare | timeline | flame | query | info | export) _tracedb_reply_files "$word" '*.db' ;;
	check)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		;;
	esac
}

complete -F _tracedb tracedb
