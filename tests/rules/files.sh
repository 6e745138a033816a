#!/bin/sh
# A file that a comment names exists: `name.c`, or a path that ends in it.
set -u

# The names of files in the comments of the files that are given, as FILE:LINE NAME.
named() {
    awk '
        FNR == 1 { comment = 0 }
        {
            line = $0
            while (line != "") {
                if (!comment) {
                    start = index(line, "/*")
                    if (!start) break
                    line = substr(line, start + 2)
                    comment = 1
                }
                end = index(line, "*/")
                text = end ? substr(line, 1, end - 1) : line
                line = end ? substr(line, end + 2) : ""
                comment = !end
                while (match(text, /[A-Za-z0-9_\/-]+\.(c|h|sh|mjs|md|txt|cmake)([^A-Za-z0-9_]|$)/)) {
                    name = substr(text, RSTART, RLENGTH)
                    text = substr(text, RSTART + RLENGTH)
                    sub(/[^A-Za-z0-9_]$/, "", name)
                    print FILENAME ":" FNR, name
                }
            }
        }' "$@"
}

missing() {
    while read -r place name; do
        case $name in
        yyjson.h) continue ;; # a library's
        esac
        printf '%s\n' "$files" | grep -q -e "^$name\$" -e "/$name\$" || echo "$place: there is no file $name"
    done
}

files=$(find src include apps tests examples bench docs -name node_modules -prune -o -type f -print; ls)
found=$(named $(find src include apps -name '*.[ch]' | sort) | sort -u | missing)
if [ -n "$found" ]; then
    printf '%s\n' "$found"
    exit 1
fi

sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
printf '/* sample.c - as arena.c,\n * and see nowhere/to_be_found.h. */ "not_this.c"\n' >"$sample"
if [ "$(named "$sample" | missing | sed 's/.*: //')" != 'there is no file sample.c
there is no file nowhere/to_be_found.h' ]; then
    echo "the rule does not see a name that is wrong"
    exit 1
fi
