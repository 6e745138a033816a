#!/bin/sh
# `haft serve --demo` as it is installed, and when the whole prefix has been moved elsewhere.
set -eu
[ -x "$PREFIX/bin/haft" ] || { echo "the program haft is not built here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$PREFIX" "$work/moved"
for prefix in "$PREFIX" "$work/moved"; do
    [ "$("$prefix/bin/haft" serve --demo --call add_numbers '{"a": 5, "b": 3}')" = "5 + 3 = 8" ]
done

echo "== a program without its demonstration says what is missing"
find "$work/moved" -name shop.so -delete
! "$work/moved/bin/haft" serve --demo --list 2>"$work/log"
grep -q 'haft: plugins: .*/haft/demo/shop.so: No such file or directory' "$work/log"
