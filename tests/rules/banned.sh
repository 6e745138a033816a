#!/bin/sh
# What may not stand in the sources: functions that write without a limit, read without an error or
# grow the stack; comments of the other kind; files that have grown past reading.
set -u
sources=$(find src include apps examples '(' -name '*.[ch]' -o -name '*.[ch]pp' ')' 2>/dev/null)
tests=$(find tests bench '(' -name '*.[ch]' -o -name '*.[ch]pp' ')' ! -path '*/node_modules/*' 2>/dev/null)
failed=0

# Strings and comments are taken out first, so that they may say what they like.
bare() {
    awk 'FNR == 1 { inside = 0 }
    {
        line = $0
        gsub(/\\./, "", line); gsub(/\047"\047/, "", line); gsub(/"[^"]*"/, "\"\"", line)
        out = ""
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                if (!at) { line = ""; break }
                line = substr(line, at + 2); inside = 0
            } else {
                at = index(line, "/*")
                if (!at) { out = out line; line = ""; break }
                out = out substr(line, 1, at - 1); line = substr(line, at + 2); inside = 1
            }
        }
        print FILENAME ":" FNR ": " out
    }' "$@"
}

report() {
    [ -z "$1" ] && return
    printf '%s:\n%s\n' "$2" "$1"
    failed=1
}

functions='strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|strtok|alloca|system|popen|abort'
report "$(bare $sources | grep -E "(^|[^A-Za-z0-9_])($functions) *\(")" "banned function"
report "$(bare $sources $tests | grep -E '//')" "a // comment"
report "$(awk 'FNR == 801 { print FILENAME ": over 800 lines" }' $sources)" "too long"
case $sources in
*src/*) report "$(bare $(find src -name '*.c') |
    grep -E '(^|[^A-Za-z0-9_])(strtod|setlocale|exit) *\(')" "not in a library" ;;
esac
exit $failed
