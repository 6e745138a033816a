#!/bin/sh
# run.sh TARGET SEEDS - runs a fuzz target for a moment.  New inputs go to a directory that is thrown
# away; an input that breaks it is printed, for it will be wanted.
set -eu
target=$1 seeds=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/corpus"
[ -d "$seeds" ] || seeds=
if ! "$target" -runs="${FUZZ_RUNS:-200000}" -max_total_time="${FUZZ_SECONDS:-3}" -timeout=10 \
    -max_len=4096 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$work/" \
    "$work/corpus" ${seeds:+"$seeds"} </dev/null >"$work/log" 2>&1; then
    tail -n 60 "$work/log"
    for input in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-*; do
        [ -e "$input" ] && { echo "input, in base64:"; base64 "$input"; }
    done
    exit 1
fi
tail -n 8 "$work/log"
