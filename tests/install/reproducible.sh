#!/bin/sh
# The same sources make the same libraries, byte for byte, wherever they are built.
set -eu
work=$PREFIX/..
again=$work/somewhere/else/again
failed=0
cmake --preset core -B "$again" -DHAFT_EXAMPLES=OFF -DHAFT_BENCH=OFF -DHAFT_WERROR=ON >/dev/null
cmake --build "$again" -j 2 >/dev/null
for library in libhaft-core.a $(cd "$again" && ls libhaft-core.so.*.*.*); do
    cmp "$work/core/$library" "$again/$library" || failed=1
done
exit $failed
