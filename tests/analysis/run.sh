#!/bin/sh
# run.sh BUILD - what three analysers say about src, apps and examples; ./dev analyse calls it.
#
#   gcc -fanalyzer   while building: the preset `analyse` makes its findings errors
#   clang-tidy       with .clang-tidy
#   cppcheck         with tests/analysis/cppcheck.txt
#
# Zero findings is the only good result.  What is not looked for is in these files, each with its reason;
# what is suppressed in one place has its reason there.
set -u
build=$1
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
sources=$(find src apps examples -name '*.c' 2>/dev/null | sort)
failed=0

printf '== clang-tidy\n'
# What only gcc understands is taken out of the commands.
mkdir -p "$build/tidy"
sed 's/ -fanalyzer//g; s/ -Wno-analyzer-[a-z-]*//g; s/ -Wno-format-truncation//g' \
    "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
printf '%s\n' $sources | xargs -P "$cores" -n 4 clang-tidy -p "$build/tidy" --quiet >"$build/clang-tidy.log" 2>/dev/null
grep -E '(warning|error):' "$build/clang-tidy.log" | sort -u >"$build/findings.txt"

printf '== cppcheck\n'
mkdir -p "$build/cppcheck"
cppcheck --project="$build/compile_commands.json" --cppcheck-build-dir="$build/cppcheck" -j "$cores" \
    --enable=warning,performance,portability,style --std=c11 --inline-suppr --quiet -i tests \
    --suppressions-list=tests/analysis/cppcheck.txt \
    --template='{file}:{line}: {severity}: {message} [{id}]' 2>>"$build/findings.txt" >/dev/null || failed=1

cat "$build/findings.txt"
[ -s "$build/findings.txt" ] && failed=1
printf '%s files, %s findings\n' "$(printf '%s\n' $sources | wc -l)" "$(wc -l <"$build/findings.txt")"
exit $failed
