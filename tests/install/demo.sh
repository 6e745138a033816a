#!/bin/sh
# `haft serve --demo` as it is installed, and when the whole prefix has been moved elsewhere.
set -eu
[ -x "$PREFIX/bin/haft" ] || { echo "the program haft is not built here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$PREFIX" "$work/moved"
for prefix in "$PREFIX" "$work/moved"; do
    [ "$("$prefix/bin/haft" serve --demo --call add_numbers '{"a": 5, "b": 3}')" = "5 + 3 = 8" ]
    [ "$("$prefix/bin/haft" serve --demo=upstreams --call shop__add_numbers '{"a": 5, "b": 3}')" = "5 + 3 = 8" ]
    "$prefix/bin/haft" serve --demo=upstreams --call bikes__getStation '{"stationId": "ut-1"}' | grep -q '"Central station"'
    [ "$("$prefix/bin/haft" serve --demo=upstreams --call programs__date '{"when": "2026-01-01"}')" = "Thursday, 01 January 2026" ]
done

echo "== a program without its demonstration says what is missing"
find "$work/moved" -name shop.so -delete
! "$work/moved/bin/haft" serve --demo --list 2>"$work/log"
grep -q 'haft: plugins: .*/haft/demo/shop.so: No such file or directory' "$work/log"
