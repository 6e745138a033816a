#!/bin/sh
# commit.sh BUILD - the commit that `haft --version` prints: that of the repository, that of a tarball, or none.  Only one
# object depends on it.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect TREE COMMIT
expect() {
    cmake -D SOURCE="$work/$1" -D OUT="$work/commit.h" -P cmake/commit.cmake
    [ "$(cat "$work/commit.h")" = "#define HAFT_COMMIT \"$2\"" ] || { echo "$1: $(cat "$work/commit.h"), not $2"; failed=1; }
}

mkdir -p "$work/tree/cmake" "$work/tree/inside/cmake" "$work/bare"
cp cmake/commit.txt "$work/tree/cmake"
cp .gitattributes "$work/tree"
git -C "$work/tree" init -q
expect tree ""
git -C "$work/tree" add cmake .gitattributes
git -C "$work/tree" -c user.name=a -c user.email=a@b -c commit.gpgSign=false commit -qm first
commit=$(git -C "$work/tree" rev-parse HEAD)
short=$(printf %.7s "$commit")
expect tree "$short"
touch -d '2001-01-01' "$work/commit.h"
expect tree "$short"
[ -z "$(find "$work/commit.h" -newermt 2002-01-01)" ] || { echo "written though it is the same"; failed=1; }

mkdir "$work/tarball"
git -C "$work/tree" archive HEAD | tar -x -C "$work/tarball"
expect tarball "$short"
expect bare ""
# A repository that contains the tree is not the tree's.
expect tree/inside ""

users=$(ninja -C "$build" -t deps | awk '/^[^ ]/ { object = $1 } /generated\/commit\.h$/ { print object }')
case $users in
*main.c.o:) [ "$(echo "$users" | wc -l)" -eq 1 ] || { echo "more depend on the commit: $users"; failed=1; } ;;
*) echo "not main.c alone depends on the commit: $users"; failed=1 ;;
esac
exit $failed
