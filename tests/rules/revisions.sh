#!/bin/sh
# A revision of the protocol is a row: no source but its table names one, neither by its constant nor as text.
set -u
failed=0

report() {
    [ -z "$1" ] && return
    printf '%s:\n%s\n' "$2" "$1"
    failed=1
}

table=src/protocol/revision
names=$(sed -n 's/.*\.name = "\([0-9-]*\)".*/\1/p' $table.c)
[ "$(echo "$names" | wc -l)" -ge 5 ] || { echo "$table.c has no rows"; exit 1; }
sources=$(find src apps tests/support -name '*.[ch]' ! -path "$table.[ch]")
report "$(grep -nE '\bREV_2[0-9]{3}_' $sources)" "a revision by its constant; make what it is about a column of $table.c"
# Texts for people may name one.
literals=$(echo "$names" | sed 's/.*/"&"/' | paste -sd '|')
report "$(grep -nE "$literals" $(find src apps -name '*.[ch]' ! -path "$table.[ch]"))" \
    "a revision as text; take its name from $table.c"
exit $failed
