#!/bin/sh
# shown.sh COMPILER PAGE NAME SHOWN INCLUDE LIBRARY BIN - a terminal session with a page's own program is true.  The
# first C program of PAGE is compiled as ./NAME; the commands that SHOWN has after "$ ", in a picture (SVG) or in
# ```console blocks, must print what stands below them.
set -u
compiler=$1 page=$2 name=$3 shown=$4 include=$5 library=$6 bin=$7
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v out="$work" -f "$here/blocks.awk" "$page" || exit 1
set -- "$work"/[0-9]*.program.c
$compiler -std=c11 -I"$include" "$1" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$work/$name" || exit 1

case $shown in
*.svg) sed -n '/<text /{s/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g; p;}' "$shown" ;;
*) sed -n '/^```console$/,/^```$/{/^```/!p;}' "$shown" ;;
esac >"$work/shown"

grep '^\$ ' "$work/shown" | cut -c3- | while IFS= read -r command; do
    printf '$ %s\n' "$command"
    (cd "$work" && PATH="$bin:$PATH" NO_COLOR=1 timeout 20 sh -c "$command") </dev/null 2>&1
done >"$work/printed"
[ -s "$work/printed" ] || { echo "$shown shows no command"; exit 1; }
diff -u "$work/shown" "$work/printed" || { echo "$shown does not show what is printed"; exit 1; }
