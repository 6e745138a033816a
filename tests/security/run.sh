#!/bin/sh
# run.sh BUILD - runs what the checklist names and prints it with what came of it; ./dev security calls it.
set -u
build=$1
list=tests/security/checklist.txt
names=$(sed -n 's/^[0-9]* | .* | //p' $list | tr ';' '\n' | sed 's/^ *//; s/:.*//' | grep -v '^none$' | sort -u)
pattern=$(printf '%s' "$names" | tr '\n' '|' | sed 's/|$//')

# What is installed is looked at by others, and is made by a test.
ctest --test-dir "$build" -V -j "$((3 * $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)))" \
    -R "^($pattern|install/install)\$" </dev/null >"$build/security.log" 2>&1

# ctest puts the number of a test before every line of its output.
awk -F ' [|] ' '
FNR == NR {
    line = $0
    if (match(line, /Start +[0-9]+: /)) {
        split(substr(line, RSTART), word, /[ :]+/)
        name[word[2]] = word[3]
    } else if (match(line, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /)) {
        split(line, part, /: +| \.\.+/)
        test = part[2]
        result[test] = line ~ /Passed/ ? "passed" : line ~ /Skipped/ ? "skipped" : "FAILED"
    } else if (match(line, /^[0-9]+: /)) {
        test = name[substr(line, 1, RLENGTH - 2)]
        text = substr(line, RLENGTH + 1)
        if (sub(/^\[ +OK \] /, "", text) || sub(/^ *ok [0-9]+ - /, "", text)) {
            sub(/ +# .*/, "", text)
            ok[test ":" text] = 1
        }
    }
    next
}
/^[0-9]/ {
    n = split($3, tests, /; */)
    verdict = "passed"; told = ""; shown = 0
    for (i = 1; i <= n; i++) {
        if (tests[i] ~ /^none: /) continue
        shown++
        at = index(tests[i], ":")
        test = at ? substr(tests[i], 1, at - 1) : tests[i]
        how = result[test] == "" ? "FAILED" : result[test]
        # A test with many cases may have failed in another one.
        if (at && how != "skipped") how = (tests[i] in ok) ? "passed" : "FAILED"
        if (how != "passed") { verdict = how; told = told "\n       " how ": " tests[i] }
        total++
    }
    if (!shown) verdict = "none"
    count[verdict]++
    printf "%2d  %-7s %s%s\n", $1, verdict, $2, told
    if (verdict == "none") { sub(/none: /, "", $3); print "            " $3 }
}
END {
    printf "%d items: %d passed, %d failed, %d skipped, %d do not apply; %d tests\n",
        count["passed"] + count["FAILED"] + count["skipped"] + count["none"],
        count["passed"], count["FAILED"], count["skipped"], count["none"], total
    exit count["FAILED"] > 0
}' "$build/security.log" $list
