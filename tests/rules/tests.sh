#!/bin/sh
# Every test is in the list of its folder, and every list is read: a test that nothing runs is worse than none.
set -u
failed=0

# missing WHAT NAME LIST: complains when the list does not have the name as a word.
missing() {
    tr -s ' ()\n' '\n' <"$3" 2>/dev/null | grep -qxF -e "$2" && return
    echo "$1 is not in $3"
    failed=1
}

for file in tests/*/test_*.c tests/*/test_*.cpp; do
    name=${file##*/test_}
    name=${name%.cpp}
    missing "$file" "${name%.c}" "${file%/*}/CMakeLists.txt"
done
for file in tests/e2e/*.test.mjs; do
    name=${file##*/}
    missing "$file" "${name%.test.mjs}" tests/e2e/CMakeLists.txt
done
for file in tests/reference/*.test.mjs; do
    name=${file##*/}
    missing "$file" "${name%.test.mjs}" tests/reference/CMakeLists.txt
done
for file in tests/fuzz/fuzz_*.c; do
    name=${file##*/fuzz_}
    missing "$file" "${name%.c}" tests/fuzz/CMakeLists.txt
done
for file in tests/drivers/*_driver.c; do
    name=${file##*/}
    missing "$file" "${name%_driver.c}" tests/drivers/CMakeLists.txt
done
for file in tests/rules/*.sh tests/walls/*.sh tests/install/*.sh; do
    name=${file##*/} list=${file%/*}/CMakeLists.txt
    name=${name%.sh}
    case $list in
    tests/rules/*) missing "$file" "$name" "$list" ;;
    *) grep -qE "(^|[ /])$name( |\.sh|\))" "$list" || missing "$file" "$name" "$list" ;;
    esac
done
for file in tests/mistakes/*.c tests/mistakes/*.cc tests/support/*.c; do
    missing "$file" "${file##*/}" "${file%/*}/CMakeLists.txt"
done
for list in tests/*/CMakeLists.txt; do
    room=${list%/*}
    missing "$list" "${room#tests/}" tests/CMakeLists.txt
done
exit $failed
