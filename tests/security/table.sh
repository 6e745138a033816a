#!/bin/sh
# table.sh - the checklist as a table of Markdown, for docs/security.md.
set -eu
echo '| | what | shown by |'
echo '|---|---|---|'
awk -F ' [|] ' '/^[0-9]/ {
    n = split($3, tests, /; */)
    out = ""
    for (i = 1; i <= n; i++) {
        test = tests[i]
        if (!sub(/^none: /, "", test)) {
            at = index(test, ":")
            test = "`" (at ? substr(test, 1, at - 1) : test) "`" (at ? " " substr(test, at + 1) : "")
        }
        out = out (i > 1 ? "; " : "") test
    }
    print "| " $1 " | " $2 " | " out " |"
}' tests/security/checklist.txt
