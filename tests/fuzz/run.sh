#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs one libFuzzer target, beginning with the seeds, for TRACEDB_FUZZ_SECONDS. Without them it does what a check can wait for: a
# thousand inputs at most, from the same random numbers each time, so that what fails is what was changed. What it learns stays
# beside it, in TARGET.corpus; inputs that crash it are written there as crash-*. Seeds are kept where nothing says what they reach.
# usage: run.sh TARGET [SEEDS...]
set -eu
target=$1
shift
mkdir -p "$target.corpus"
if [ -n "${TRACEDB_FUZZ_SECONDS:-}" ]; then
	limits="-max_total_time=$TRACEDB_FUZZ_SECONDS"
else
	limits="-seed=1 -runs=1000 -max_total_time=2 -keep_seed=1"
fi
echo "$target: $limits"
# shellcheck disable=SC2086 # these are several options
exec "$target" $limits -timeout=30 -rss_limit_mb=1024 -max_len=65536 \
	-print_final_stats=1 -verbosity=0 -artifact_prefix="$target.corpus/" "$target.corpus" "$@"
