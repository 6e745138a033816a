#!/bin/sh
# run.sh COMPILER FILE WORK - a mistake that a user makes must be told in the first line of the errors, and that
# line must point into the user's own file.
#
# The file says what it expects, as a basic regular expression, for both compilers or for one:
#
#     /* expect: no member named 'siz' */      /* expect gcc: ... */      /* expect clang: ... */
#     /* expect nothing */                     it compiles
#
# The headers are taken as those of the system, which installed ones are; what compiles must do so
# also when they are not, with every warning on.
#
# C++ is tried as C++17 and as C++20.  There a sentence may stand in a header of haft, where it is asserted, if
# the compiler then names the line of the user's file that is to blame.  header.sh has left haft.hpp in WORK.
set -u
compiler=$1 file=$2 work=$3
. "$(dirname "$0")/warnings.sh"
command -v "$compiler" >/dev/null || { echo "$compiler is not here"; exit 77; }

case $file in
*.cc) standards='c++17 c++20' language='-x c++' where="\\($file\\|[^ ]*include/haft/cpp/[a-z]*\\.hpp\\)" ;;
*) standards=c11 language='-x c' where=$file ;;
esac

# The compiled header, for a file in C++ that includes it first.
header() {
    [ "$standard" != c11 ] && [ "$(grep -m1 '^#' "$file")" = '#include <haft.hpp>' ] || return 0
    case $compiler in
    gcc) echo "-include $work/gcc.$standard.hpp" ;;
    clang) echo "-include-pch $work/clang.$standard.hpp.gch" ;;
    esac
}

compile() {
    LC_ALL=C "$compiler" $language -std=$standard $warnings "$@" -S -o /dev/null "$file" 2>&1
}

expected=$(sed -n "s|^/\* expect $compiler: \(.*\) \*/\$|\1|p; s|^/\* expect: \(.*\) \*/\$|\1|p" "$file" |
    head -n 1)

try() {
    output=$(compile -isystem include $(header))
    status=$?
    first=$(printf '%s\n' "$output" | grep -m1 'error:')

    if grep -q '^/\* expect nothing \*/$' "$file"; then
        [ $status -eq 0 ] && output=$(compile -I include) && return 0
        echo "it should compile as $standard:"
    elif [ -z "$expected" ]; then
        echo "$file does not say what it expects of $compiler"
    elif [ $status -eq 0 ]; then
        echo "it compiles as $standard, and should not"
    elif printf '%s\n' "$first" | grep -q -e "^$where:.*$expected" && printf '%s\n' "$output" | grep -q "^$file:[0-9]"; then
        printf '%s\n' "$first"
        return 0
    else
        echo "expected as $standard: $expected"
    fi
    printf '%s\n' "$output" | head -n 40
    return 1
}

for standard in $standards; do
    try || exit 1
done
