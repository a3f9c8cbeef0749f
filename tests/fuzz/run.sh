#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs one libFuzzer target for some seconds, beginning with the seeds. What it learns stays beside it, in
# TARGET.corpus; inputs that crash it are written there as crash-*.
# usage: run.sh TARGET SECONDS [SEEDS...]
set -eu
target=$1
seconds=$2
shift 2
mkdir -p "$target.corpus"
echo "$target: $seconds s"
exec "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
	-print_final_stats=1 -verbosity=0 -artifact_prefix="$target.corpus/" "$target.corpus" "$@"
