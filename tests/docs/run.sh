#!/bin/sh
# run.sh COMPILER PAGE INCLUDE LIBRARY - the C in a page of documentation is true: a program compiles,
# runs and prints what the page says it prints; a fragment compiles after prelude.h, on its own or inside
# a function.
set -u
compiler=$1 page=$2 include=$3 library=$4
here=$(dirname "$0")
flags='-std=c11 -Wall -Wextra -Wpedantic -Werror'
loose='-Wno-unused -Wno-unused-parameter -Wno-uninitialized -Wno-maybe-uninitialized -Wno-unknown-warning-option'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

awk -v out="$work" -f "$here/blocks.awk" "$page" || failed=1

compile_fragment() {
    { printf '#include "prelude.h"\n'; printf '#line %s "%s"\n' "$2" "$page"; cat "$1"; } >"$work/a.c"
    { printf '#include "prelude.h"\nint fragment(void);\nint fragment(void)\n{\n'
      printf '#line %s "%s"\n' "$2" "$page"; cat "$1"; printf '\nreturn 0;\n}\n'; } >"$work/b.c"
    $compiler $flags $loose -I"$include" -I"$here" -fsyntax-only "$work/a.c" 2>"$work/a.err" ||
        $compiler $flags $loose -I"$include" -I"$here" -fsyntax-only "$work/b.c" 2>"$work/b.err" || {
        cat "$work/b.err"
        return 1
    }
}

run_program() {
    $compiler $flags -I"$include" "$1" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$work/program" ||
        return 1
    timeout 20 "$work/program" </dev/null >"$work/output" || { echo "it ends with $?"; return 1; }
    expected=$work/$(basename "$1" | cut -d. -f1).expected
    [ ! -e "$expected" ] || diff -u "$expected" "$work/output"
}

for block in "$work"/[0-9]*.c; do
    [ -e "$block" ] || continue
    name=$(basename "$block")
    line=$(echo "$name" | cut -d. -f2)
    case $name in
    *.program.c) run_program "$block" ;;
    *.fragment.c) compile_fragment "$block" $((line + 1)) ;;
    esac || { echo "$page:$line: the block above fails"; failed=1; }
done
exit $failed
