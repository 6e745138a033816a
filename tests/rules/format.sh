#!/bin/sh
# Every source is as clang-format 14 writes it: fails with what would change.  --write changes it.
set -u

# The declaring macros and some tables are laid out by hand.
sources() {
    find src include apps examples tests bench tools '(' -name '*.[ch]' -o -name '*.[ch]pp' ')' \
        ! -path '*/node_modules/*' ! -name 'declare*.h*' ! -path 'tests/cpp/c_structs.h' ! -name 'metaschema*.c' ! -name 'keyword*.h' ! -name 'format.c' \
        ! -name 'idna_table.c' ! -path 'tests/mistakes/*' | sort
}

format=
for program in clang-format-14 clang-format; do
    case $($program --version 2>/dev/null) in
    *' version 14.'*) format=$program; break ;;
    esac
done
[ -n "$format" ] || { echo "there is no clang-format 14"; exit 77; }

if [ "${1:-}" = --write ]; then
    sources | xargs "$format" -i
    exit
fi

sources | xargs "$format" --dry-run --Werror 2>/dev/null && exit 0
for file in $(sources); do
    "$format" "$file" | diff -u "$file" -
done
echo "not as ./dev fmt has it"
exit 1
