#!/bin/sh
# hide.sh NM OBJCOPY LIBRARY - puts "haft." before the names of a static library that are not public.
set -eu
nm=$1 objcopy=$2 library=$3

"$nm" -g --defined-only "$library" |
    awk 'NF == 3 && $3 !~ /^haft[_.]/ { print $3, "haft." $3 }' | sort -u >"$library.names"
"$objcopy" --enable-deterministic-archives --redefine-syms="$library.names" "$library"
rm "$library.names"
