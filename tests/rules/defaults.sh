#!/bin/sh
# A default is written once: those that several places read are rows of src/base/defaults.h.
set -u
failed=0

report() {
    [ -z "$1" ] && return
    printf '%s:\n%s\n' "$2" "$1"
    failed=1
}

sources=$(find src -name '*.[ch]')
twice=$(grep -ohE '(^|[ {])DEFAULT_[A-Z_]+ = [^=]' $sources | grep -oE 'DEFAULT_[A-Z_]+' | sort | uniq -d)
rows=$(sed -n 's/^ *X(\([A-Z_]*\), *[0-9].*/DEFAULT_\1/p' src/base/defaults.h)
[ -n "$rows" ] || { echo "src/base/defaults.h has no rows"; exit 1; }
for name in $rows; do
    grep -qE "(^|[ {])$name = [^=]" $sources && twice="$twice $name"
    grep -qwE "$name" $(echo "$sources" | grep -v base/defaults.h) ||
        report "$name" "a default that no code reads"
done
report "$twice" "a default that is defined twice"
report "$(grep -nE '\.initial = "[1-9]' src/config/option.c)" \
    "a default of its own; make it a row of src/base/defaults.h"
report "$(grep -nE '\? [^:]*: ("/|"[0-9]|[0-9]{2})' $sources | grep -E '([a-z_]+) = .*\b\1 \? .*\b\1 :')" \
    "a default as a literal"
exit $failed
