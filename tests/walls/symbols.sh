#!/bin/sh
# symbols.sh OBJECTS CC MOST ROOM... - a room uses itself and the rooms before it, as the linker sees it.
#
# OBJECTS is a file with the paths of all objects of the library; the rooms are given from the lowest to the
# highest; MOST is how many files may need each other.
set -eu
objects=$1 cc=$2 most=$3
shift 3
rooms=$*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The symbols of the objects that are listed on standard input, as walls.awk reads them.
symbols() {
    xargs nm -A -g -P | sed 's|^.*_objects\.dir/\(\./\)\{0,1\}src/||; s|\.c\.o: | |' |
        awk '{ print $1, $2, $3 }'
}

check() {
    # These are defined by each library for itself: see src/engine/offer/platform.h and src/task/platform.h.
    awk -v rooms="$rooms" -v most="$most" -v seam=" hf_platform_start hf_platform_tasks " -f tests/walls/walls.awk "$@"
}

symbols <"$objects" >"$work/symbols"
[ -s "$work/symbols" ] || { echo "no symbols in the objects of $objects"; exit 1; }
check "$work/symbols"

# Would it notice?  An object of the lowest room that uses a function of the engine.
echo 'int haft_add(void *, void *); int wall(void); int wall(void) { return haft_add(0, 0); }' >"$work/wall.c"
mkdir -p "$work/_objects.dir/src/base"
"$cc" -c -o "$work/_objects.dir/src/base/wall.c.o" "$work/wall.c"
echo "$work/_objects.dir/src/base/wall.c.o" | symbols >>"$work/symbols"
if check "$work/symbols" >"$work/report"; then
    echo "a reference from base to the engine was not noticed"
    exit 1
fi
grep 'base/wall uses haft_add' "$work/report" | sed 's/^error/noticed on purpose/'
