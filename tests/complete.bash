#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What bash would offer for the last of the words, sorted.
# usage: complete.bash COMPLETION PROGRAM WORD...
set -u # no -e: as in a shell at work
# shellcheck source=/dev/null
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tracedb
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u
