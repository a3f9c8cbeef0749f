# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of tracedb for bash. The options are those of --help; tests/check-man.sh compares them.

_tracedb_commands='record import report analyze compare query info export check formats trigger'
_tracedb_output_options='-f --format -o --output --safe-csv --timeunit -h --help'

_tracedb_options()
{
	case $1 in
	record)
		echo '-o --output -e --events -p --pid --comm --cgroup -a --all --all-users --duration --delay --max-size' \
			'--max-duration --flight-recorder --trigger --follow-daemons --user --cpu --gpu --cuda --cupti --bt --log --phases-from-output --phase-pattern --rate --lock-threshold --buffer --cost' \
			'--no-import --force -q --quiet -h --help'
		;;
	import)
		echo '-o --output --force --append --format --layout --phase-pattern --tz --date --clock --threads -q --quiet -h --help'
		;;
	report)
		echo "-l --list -Q --report-dir --by --at --width --filter-time --limit --rows --phase --pid --process --run --compat" \
			"-p --param --columns --utc --wide --all --timeout $_tracedb_output_options"
		;;
	compare) echo "-b --baseline --fail-if --min-change --rounds -Q --measure-dir --timeout --columns --wide --all $_tracedb_output_options" ;;
	analyze) echo "-l --list -r --rule -Q --rule-dir -p --param --fail-on --timeout $_tracedb_output_options" ;;
	query) echo "-p --param --timeout $_tracedb_output_options" ;;
	export) echo '--to --force -q --quiet -h --help' ;;
	info) echo "--wide --all $_tracedb_output_options" ;;
	check | formats) echo "$_tracedb_output_options" ;;
	trigger) echo '-h --help' ;;
	esac
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
	case $2:$3 in
	record:-e | record:--events) _tracedb_reply_list "all $(_tracedb_sets "$1")" "$4" ;;
	record:-p | record:--pid) mapfile -t COMPREPLY < <(cd /proc && compgen -G "$4[0-9]*") ;;
	record:--trigger) _tracedb_reply "$(compgen -A signal | sed 's/^SIG//')" "$4" ;;
	record:--user) mapfile -t COMPREPLY < <(compgen -u -- "$4") ;;
	record:--comm | record:--cgroup | record:--duration | record:--delay | record:--max-size | record:--max-duration | \
		record:--flight-recorder | record:--phase-pattern | record:--rate | record:--lock-threshold | record:--buffer) ;;
	import:--format) _tracedb_reply "$(_tracedb_names "$1" formats)" "$4" ;;
	*:-f | *:--format) _tracedb_reply 'table csv tsv json ndjson md' "$4" ;;
	*:-o | *:--output) _tracedb_reply_files "$4" ;;
	record:--cupti) _tracedb_reply_files "$4" '*.so*' ;;
	record:--log) _tracedb_reply_files "$4" ;;
	import:--layout | record:--bt) _tracedb_reply_files "$4" '*.bt' ;;
	import:--clock) _tracedb_reply 'boot=' "$4" ;;
	import:--tz) _tracedb_reply 'UTC' "$4" ;;
	export:--to) _tracedb_reply "$("$1" export --help 2>/dev/null | sed -n 's/^  \([a-z0-9-]*=\)[A-Z]*$/\1/p')" "$4" ;;
	analyze:-r | analyze:--rule) _tracedb_reply_list "$(_tracedb_names "$1" analyze --list)" "$4" ;;
	analyze:--fail-on) _tracedb_reply 'info warning critical' "$4" ;;
	report:-Q | report:--report-dir | analyze:-Q | analyze:--rule-dir | compare:-Q | compare:--measure-dir)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$4")
		;;
	report:--by) _tracedb_reply 'file template directory process class device gpu time' "$4" ;;
	report:--compat) _tracedb_reply 'nsys' "$4" ;;
	*:--timeunit) _tracedb_reply 'ns us ms s' "$4" ;;
	import:--date | import:--phase-pattern | compare:--columns | compare:--fail-if | compare:--min-change | compare:--rounds | report:--columns | report:--at | report:--width | \
		report:--filter-time | report:--limit | report:--rows | report:--phase | \
		report:--pid | report:--process | report:--run | *:-p | *:--param | *:--timeout) ;;
	*) return 1 ;;
	esac
}

# bash takes '--option=value' for three words.
_tracedb()
{
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
	local option=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_tracedb_reply "$_tracedb_commands help --help --version" "$word"
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
		_tracedb_reply "$(_tracedb_options "$command")" "$word"
		return
	fi
	case $command in
	import) _tracedb_reply_files "$word" ;;
	report)
		_tracedb_reply_reports "$program" "$word"
		_tracedb_reply_files "$word" '*.db'
		;;
	help) _tracedb_reply "$_tracedb_commands" "$word" ;;
	analyze | compare | query | info | export) _tracedb_reply_files "$word" '*.db' ;;
	check)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		;;
	esac
}

complete -F _tracedb tracedb
