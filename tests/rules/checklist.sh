#!/bin/sh
# The checklist of docs/security.md: every item is there once, every test that it names exists, and the page
# says what the list says.
set -u
list=tests/security/checklist.txt
failed=0

[ "$(grep -cE '^[0-9]+ \| ' $list)" -eq 79 ] || { echo "not 79 items"; failed=1; }
[ "$(sed -n 's/^\([0-9]*\) | .*/\1/p' $list | sort -nu | wc -l)" -eq 79 ] || { echo "an item is there twice"; failed=1; }

# Where a test is, by its name.
source_of() {
    case $1 in
    e2e/*) echo "tests/$1.test.mjs" ;;
    rules/* | install/* | walls/*) echo "tests/$1.sh" ;;
    *) echo "tests/${1%/*}/test_${1#*/}.c" ;;
    esac
}

tests=$(sed -n 's/^[0-9]* | .* | //p' $list | tr ';' '\n' | sed 's/^ *//; s/ *$//' | grep -v '^none: ')
while IFS= read -r test; do
    name=${test%%:*} case=
    [ "$name" = "$test" ] || case=${test#*:}
    file=$(source_of "$name")
    [ -f "$file" ] || { echo "$name: there is no $file"; failed=1; continue; }
    [ -n "$case" ] || continue
    case $file in
    *.c) grep -q "cmocka_unit_test[a-z_]*($case[,)]" "$file" || { echo "$name has no $case"; failed=1; } ;;
    # A name may be put together; what stands before its last comma is in the source then.
    *) cat "$file" tests/e2e/http-checks*.mjs | grep -qF -e "\"$case\"" -e "\"${case#\"}\"" -e "$case" -e "${case%,*}, \${" ||
        { echo "$name has no \"$case\""; failed=1; } ;;
    esac
done <<END
$tests
END

sed -n '/<!-- checklist -->/,/<!-- end -->/p' docs/security.md | sed '1d;$d' >"${TMPDIR:-/tmp}/page.$$"
sh tests/security/table.sh | diff "${TMPDIR:-/tmp}/page.$$" - || { echo "docs/security.md has another table: sh tests/security/table.sh"; failed=1; }
rm -f "${TMPDIR:-/tmp}/page.$$"
exit $failed
