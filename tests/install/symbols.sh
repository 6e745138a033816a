#!/bin/sh
# The libraries show the public names; a static one has besides names that begin with hf_, and no others.  The core
# needs nothing that does I/O.
set -eu
failed=0
all=$(find "$PREFIX" -name 'libhaft*.so.*.*.*' -o -name 'libhaft*.a')
is_part='/libhaft-(http-client|crypto|yaml|sqlite|redis)\.'
libraries=$(echo "$all" | grep -vE "$is_part")
[ "$(echo "$libraries" | wc -l)" -eq 4 ] || { echo "not four libraries: $libraries"; exit 1; }

for library in $libraries; do
    case $library in
    *.a) names=$(nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^hf_/ { print $3 }') ;;
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

# A part shows what it is, and needs nothing of what opens it.
for library in $(echo "$all" | grep -E "$is_part"); do
    case $library in
    *.a) names=$(nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^hf_/ { print $3 }') ;;
    *) names=$(nm -D --defined-only "$library" | awk 'NF == 3 { print $3 }') ;;
    esac
    echo "$names" | grep -qxE 'haft_[a-z_]+_part' || { echo "$library has no descriptor"; failed=1; }
    [ "$(echo "$names" | wc -l)" -eq 1 ] || { echo "$library shows more: $names"; failed=1; }
    if nm -u "$library" | grep -E ' (haft_|uv_|yyjson_)'; then
        echo "$library needs the names above"
        failed=1
    fi
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
