#!/bin/sh
# merge.sh BUILD [TARGET ...] - what all.sh has grown, as small as it gets, for the tree: of the inputs that
# together cover everything that was covered, the MOST smallest join those with names.
set -eu
build=$1
shift
here=$(dirname "$0")
MOST=${MOST:-24}
LARGEST=${LARGEST:-256}
[ $# -gt 0 ] || set -- $(cd "$here" && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')
for target in "$@"; do
    grown=$build/fuzz/$target/corpus least=$build/fuzz/$target/least seeds=$here/corpus/$target
    [ -d "$grown" ] || continue
    rm -rf "$least"
    mkdir -p "$least" "$seeds"
    find "$seeds" -name 'grown-*' -exec rm {} +
    "$build/tests/fuzz/fuzz_$target" -set_cover_merge=1 -max_len="$LARGEST" "$least" "$seeds" "$grown" \
        </dev/null >"$build/fuzz/$target/merge.log" 2>&1
    n=0
    for input in $(cd "$least" && ls -Sr | head -n "$MOST"); do
        n=$((n + 1))
        cp "$least/$input" "$seeds/grown-$(printf %02d "$n")"
    done
    echo "$target: $(ls "$least" | wc -l) of $(ls "$grown" | wc -l), $n into the tree"
done
