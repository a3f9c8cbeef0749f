#!/bin/sh
# SPDX-License-Identifier: MIT
# What bash completes, apart from options, which check-man.sh looks at.
# usage: check-completion.sh TRACEDB COMPLETION; by $TRACEDB_PLAIN, the program without sanitizers, where there is one
set -eu
export LC_ALL=C
tracedb=$(realpath "${TRACEDB_PLAIN:-$1}")
completion=$(realpath "$2")
complete=$(realpath "$(dirname "$0")/complete.bash")
failed=0
command -v bash >/dev/null || {
	echo "there is no bash"
	exit 77
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir runs
touch run1.db run2.db notes.txt fsync.bt 'two words.db'

# offers EXPECTED WORD...: EXPECTED is what is offered, with blanks in between.
offers()
{
	want=$1
	shift
	got=$(bash "$complete" "$completion" "$tracedb" "$@" | paste -s -d ' ')
	[ "$want" != "$got" ] || return 0
	echo "tracedb $*: expected '$want', got '$got'"
	failed=1
}

# commands
offers 'import info' i
offers 'record report' help r
offers '--help --version' --

# values of options
offers 'table tsv' report -f t
offers 'table tsv' report --format = t
offers 'json' query --format js
offers 'csv html json md ndjson table tsv' info --format =
offers 'ms' query --timeunit m
offers 'mpstat mpstat-json' import --format mps
offers 'device directory' report --by d
offers 'fsync.bt runs' import --layout ''
offers 'nsys' report --compat ''
offers 'bpftrace-split= bpftrace=' export --to bpf
offers 'gpu,cpu gpu,cpus' timeline --lanes gpu,cp
offers 'calls cpu' flame --what c
offers 'run1.db run2.db runs' flame run
offers 'run1.db run2.db runs' timeline --compare run
offers 'file_io,sched' record -e file_io,sch
offers 'runs' report -Q ''
offers 'notes.txt' report -o n
offers '' import --date ''
offers '' report --phase r

# reports, the last one of a list too; databases
offers 'osrt_sum' report osr
offers 'file_io,osrt_sum' report file_io,osr
offers 'run1.db run2.db runs' info run
offers 'run1.db run2.db runq runs' report osrt_sum run
offers 'two words.db' query two
offers 'notes.txt' info n
offers 'notes.txt' import n
offers '' info absent

# where there are no files: all reports, as the program lists them
reports=$("$tracedb" report --list -f tsv | cut -f 1 | tail -n +2 | paste -s -d ' ')
cd runs
offers "$reports" report ''

[ $failed = 0 ]
