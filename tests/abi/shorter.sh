#!/bin/sh
# shorter.sh COMPILER SOURCE LIBRARY - a program that was compiled with headers in which each struct that may grow lacks
# its last member runs with the library; and so does one of these headers.  A struct that begins with its size and is
# not among those that the program tries fails the test.
set -eu
compiler=$1 source=$2 library=$3
here=$source/tests/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

sh "$here/shorten.sh" "$source/include" "$work/include" > "$work/structs"
[ "$(wc -l < "$work/structs")" -ge 25 ] || { echo "shorten.sh has found too few structs"; exit 1; }

for include in "$work/include" "$source/include"; do
    echo "== compiled with $include"
    set -- -std=c11 -Wall -Wextra -Wpedantic -Werror -g -I"$include"
    "$compiler" "$@" -o "$work/shorter" "$here/shorter.c" "$library"
    "$compiler" "$@" -shared -fPIC -o "$work/plugin.so" "$here/shorter_plugin.c"
    "$compiler" "$@" -DFOR_GATEWAYS -shared -fPIC -o "$work/gateway.so" "$here/shorter_plugin.c"
    "$work/shorter" "$work/plugin.so" "$work/gateway.so" < /dev/null > "$work/tried"
done

tr ' ' '\n' < "$work/tried" | sort -u > "$work/tried.sorted"
if ! diff "$work/structs" "$work/tried.sorted"; then
    echo "tests/abi/shorter.c does not try the structs on the left; or those on the right can no longer grow"
    exit 1
fi
