#!/bin/sh
# SPDX-License-Identifier: MIT
# One report of many runs, by Slurm: an array job makes partials where the files are, a job that depends on it puts them together.
# usage: submit.sh 'REPORT [OPTION]...' OUT TASKS RUN...
#   RUN is a folder of logs, which is imported, or a database; OUT is the partial of all:
#       tracedb report --from-partial OUT
# Prints the ids of both jobs. TRACEDB names the program, LIMIT is how long one call of it may take (30m); files have to be on a file system that the
# nodes share.
set -eu
[ $# -ge 4 ] || {
	sed -n '3,9s/^# //p' "$0" >&2
	exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
REPORT=$1 OUT=$2 tasks=$3
shift 3
TRACEDB=${TRACEDB:-tracedb}
LIMIT=${LIMIT:-30m}
PARTS=$OUT.parts
LIST=$PARTS/list
mkdir -p "$PARTS"
rm -f "$PARTS"/*.partial
printf '%s\n' "$@" >"$LIST"
[ "$tasks" -le $# ] || tasks=$#
export REPORT OUT TRACEDB PARTS LIST LIMIT
array=$(sbatch --parsable --array="1-$tasks" --output="$PARTS/%a.log" "$here/partial.sbatch")
merge=$(sbatch --parsable --dependency="afterany:$array" --output="$PARTS/merge.log" "$here/merge.sbatch")
echo "$array $merge"
