#!/bin/sh
# report.sh BUILD - which lines and branches of src the tests have reached, a row for each room, then the
# files that lack most; ./dev coverage calls it.
#
# A branch that only the compiler sees is not counted.  A line that cannot be reached is marked in the
# source, and what is beside the mark says why: GCOVR_EXCL_LINE, GCOVR_EXCL_BR_LINE.
set -eu
build=$1
goal_lines=95 goal_branches=85
gcovr --root . --object-directory "$build" --filter 'src/' --exclude-unreachable-branches \
    --csv "$build/coverage.csv" -j "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" 2>"$build/gcovr.log" ||
    { cat "$build/gcovr.log"; exit 1; }

awk -F , -v lines="$goal_lines" -v branches="$goal_branches" '
function percent(part, all) { return all ? 100 * part / all : 100 }
function row(name, a, b, c, d) {
    printf "%-10s %7d %7d %6.1f %% %9d %7d %6.1f %%\n", name, b, a, percent(a, b), d, c, percent(c, d)
}
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    split($at["filename"], path, "/")
    room = path[2]
    if (!(room in n)) order[++rooms] = room
    n[room]++
    l[room] += $at["line_covered"]; L[room] += $at["line_total"]
    b[room] += $at["branch_covered"]; B[room] += $at["branch_total"]
    missing[$at["filename"]] = $at["branch_total"] - $at["branch_covered"]
}
END {
    printf "%-10s %7s %7s %8s %9s %7s %8s\n", "room", "lines", "reached", "", "branches", "reached", ""
    for (i = 1; i <= rooms; i++) {
        room = order[i]
        row(room, l[room], L[room], b[room], B[room])
        sl += l[room]; sL += L[room]; sb += b[room]; sB += B[room]
    }
    row("all", sl, sL, sb, sB)
    print "the branches that were not reached are most in:"
    for (k = 0; k < 10; k++) {
        best = ""
        for (file in missing) if (best == "" || missing[file] > missing[best]) best = file
        if (best == "" || !missing[best]) break
        printf "  %4d %s\n", missing[best], best
        delete missing[best]
    }
    if (percent(sl, sL) < lines || percent(sb, sB) < branches) {
        printf "less than %d %% of lines or %d %% of branches\n", lines, branches
        exit 1
    }
}' "$build/coverage.csv"
