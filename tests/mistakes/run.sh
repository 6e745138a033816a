#!/bin/sh
# run.sh COMPILER FILE - a mistake that a user makes must be told in the first line of the errors, and that
# line must point into the user's own file.
#
# The file says what it expects, as a basic regular expression, for both compilers or for one:
#
#     /* expect: no member named 'siz' */      /* expect gcc: ... */      /* expect clang: ... */
#     /* expect nothing */                     it compiles
#
# The headers are taken as those of the system, which installed ones are; what compiles must do so
# also when they are not, with every warning on.
set -u
compiler=$1 file=$2
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
command -v "$compiler" >/dev/null || { echo "$compiler is not here"; exit 77; }

case $file in
*.cc) language='-x c++ -std=c++17' ;;
*) language=-std=c11 ;;
esac

compile() {
    LC_ALL=C "$compiler" $language $warnings "$@" -S -o /dev/null "$file" 2>&1
}

output=$(compile -isystem include)
status=$?
first=$(printf '%s\n' "$output" | grep -m1 'error:')
expected=$(sed -n "s|^/\* expect $compiler: \(.*\) \*/\$|\1|p; s|^/\* expect: \(.*\) \*/\$|\1|p" "$file" |
    head -n 1)

if grep -q '^/\* expect nothing \*/$' "$file"; then
    [ $status -eq 0 ] && output=$(compile -I include) && exit 0
    echo "it should compile:"
elif [ -z "$expected" ]; then
    echo "$file does not say what it expects of $compiler"
elif [ $status -eq 0 ]; then
    echo "it compiles, and should not"
elif printf '%s\n' "$first" | grep -q -e "^$file:.*$expected"; then
    printf '%s\n' "$first"
    exit 0
else
    echo "expected: $expected"
fi
printf '%s\n' "$output" | head -n 40
exit 1
