#!/bin/sh
# The libraries show the public names and no others that a program in C could have, and the core needs
# nothing that does I/O.
set -eu
failed=0
libraries=$(find "$PREFIX" -name 'libhaft*.so.*.*.*' -o -name 'libhaft*.a')
[ "$(echo "$libraries" | wc -l)" -eq 4 ] || { echo "not four libraries: $libraries"; exit 1; }

for library in $libraries; do
    case $library in
    *.a) names=$(nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^haft[.]/ { print $3 }') ;;
    *) names=$(nm -D --defined-only "$library" | awk 'NF == 3 { print $3 }') ;;
    esac
    echo "$(basename "$library"): $(echo "$names" | wc -l) names"
    echo "$names" | grep -q '^haft_schema_parse$' || { echo "haft_schema_parse is missing"; failed=1; }
    if echo "$names" | grep -v '^haft_'; then
        echo "the names above are not public"
        failed=1
    fi
    case $library in
    *.so*)
        case $library in
        *libhaft-core*)
            readelf -dW "$library" | grep -E 'NEEDED.*(libuv|libllhttp|pthread)' && failed=1 ;;
        esac ;;
    esac
done

# Every function that a public header declares is there.
library=$(echo "$libraries" | grep 'libhaft\.so')
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }')
declared=$(cat "$PREFIX"/include/haft/*.h | grep -E '^[a-z][A-Za-z0-9_ ]* \**haft_[a-z0-9_]+\(' |
    grep -vE '^(typedef|static|return) ' | grep -oE 'haft_[a-z0-9_]+\(' | tr -d '(' | sort -u)
for name in $declared; do
    echo "$exported" | grep -qx "$name" || { echo "$name is declared and missing"; failed=1; }
done
exit $failed
