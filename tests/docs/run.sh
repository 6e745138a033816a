#!/bin/sh
# run.sh COMPILER PAGE INCLUDE LIBRARY [C++ COMPILER] - the C and C++ in a page of documentation is true: a
# program compiles, runs and prints what the page says it prints; a fragment compiles after prelude.h, on its own or
# inside a function.
set -u
c=$1 page=$2 include=$3 library=$4 cpp=${5:-}
here=$(dirname "$0")
warnings='-Wall -Wextra -Wpedantic -Werror'
loose='-Wno-unused -Wno-unused-parameter -Wno-uninitialized -Wno-maybe-uninitialized -Wno-unknown-warning-option'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

awk -v out="$work" -f "$here/blocks.awk" "$page" || failed=1

compile_fragment() {
    a=$work/a.${1##*.} b=$work/b.${1##*.}
    { printf '#include "%s"\n' "$prelude"; printf '#line %s "%s"\n' "$2" "$page"; cat "$1"; } >"$a"
    { printf '#include "%s"\nint fragment(void);\nint fragment(void)\n{\n' "$prelude"
      printf '#line %s "%s"\n' "$2" "$page"; cat "$1"; printf '\nreturn 0;\n}\n'; } >"$b"
    $compiler $flags $loose -I"$include" -I"$here" -fsyntax-only "$a" 2>"$work/a.err" ||
        $compiler $flags $loose -I"$include" -I"$here" -fsyntax-only "$b" 2>"$work/b.err" || {
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

for block in "$work"/[0-9]*.c "$work"/[0-9]*.cpp; do
    [ -e "$block" ] || continue
    case $block in
    *.cpp) compiler=$cpp flags="-std=c++17 $warnings" prelude=haft.hpp ;;
    *) compiler=$c flags="-std=c11 $warnings" prelude=prelude.h ;;
    esac
    [ -n "$compiler" ] || { echo "there is no C++ compiler"; failed=1; continue; }
    name=$(basename "$block")
    line=$(echo "$name" | cut -d. -f2)
    case $name in
    *.program.*) run_program "$block" ;;
    *.fragment.*) compile_fragment "$block" $((line + 1)) ;;
    esac || { echo "$page:$line: the block above fails"; failed=1; }
done
exit $failed
