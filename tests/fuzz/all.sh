#!/bin/sh
# all.sh BUILD MINUTES [TARGET ...] - every fuzz target, two at a time, MINUTES in all; then a table.
#
# What a target grows stays under BUILD/fuzz/<target>/corpus and is where the next run goes on.  An input that
# breaks one stays in BUILD/fuzz/findings, and that makes the run fail.
set -eu
build=$1 minutes=$2
shift 2
here=$(dirname "$0")
jobs=2
work=$build/fuzz
mkdir -p "$work/findings"

[ $# -gt 0 ] || set -- $(cd "$here" && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')
seconds=$((minutes * 60 * jobs / $#))
[ "$seconds" -ge 1 ] || seconds=1
echo "$# targets, $seconds s each, $jobs at a time"

# One target; what it says goes to a file.
one='
target=$1 here=$2 build=$3 work=$4 seconds=$5
mkdir -p "$work/$target/corpus"
seeds=$here/corpus/$target
[ -d "$seeds" ] || seeds=
"$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -max_len=4096 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$work/findings/$target-" "$work/$target/corpus" ${seeds:+"$seeds"} \
    </dev/null >"$work/$target/log" 2>&1
echo $? >"$work/$target/status"
'
printf '%s\n' "$@" | xargs -P "$jobs" -I TARGET sh -c "$one" sh TARGET "$here" "$build" "$work" "$seconds"

# The last number after a word of the log; 0 when there is none.
last() {
    sed -n "s/.*$2 *\([0-9][0-9]*\).*/\1/p" "$work/$1/log" | tail -n 1 | grep . || echo 0
}

total=0 bad=0
printf '%-14s %12s %9s %8s %8s %9s\n' target executions 'per s' edges corpus findings
for target in "$@"; do
    n=$(last "$target" 'stat::number_of_executed_units:')
    found=0
    if [ "$(cat "$work/$target/status")" != 0 ]; then
        found=1 bad=$((bad + 1))
    fi
    total=$((total + n))
    printf '%-14s %12s %9s %8s %8s %9s\n' "$target" "$n" "$(last "$target" 'stat::average_exec_per_sec:')" \
        "$(last "$target" ' cov:')" "$(last "$target" ' corp:')" "$found"
done
printf '%-14s %12s %45s\n' all "$total" "$bad"
for target in "$@"; do
    [ "$(cat "$work/$target/status")" = 0 ] && continue
    echo "== $target, of which the input is in $work/findings:"
    grep -v '^#' "$work/$target/log" | tail -n 40
done
[ "$bad" -eq 0 ]
