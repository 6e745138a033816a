#!/bin/sh
# table.sh ROOMS - the table of docs/internals/README.md has every room once, in the order of the build.  `x/*` stands
# for all rooms of a folder in a row.
set -u
rooms=$1

# The rooms of the first column of the table in a file.
listed() {
    sed -n 's/^| `\([a-z/]*\*\{0,1\}\)` | .*/\1/p' "$1"
}

# The rooms of the build as the table has them: those that a row `x/*` stands for become that row.
expected() {
    for room in $rooms; do
        if grep -qxF "${room%/*}/*" "$1"; then
            echo "${room%/*}/*"
        else
            echo "$room"
        fi
    done | uniq
}

check() {
    listed "$1" >"$work/listed"
    expected "$work/listed" >"$work/expected"
    diff -u "$work/expected" "$work/listed"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=docs/internals/README.md
if ! check "$page"; then
    echo "the table of rooms in $page differs from the lists in CMakeLists.txt (-: expected there)"
    exit 1
fi

# The rule notices a row that is missing, one that is there twice, and another order.
for change in '/^| `loop` /d' '/^| `loop` /p' '/^| `loop` /{h;d};/^| `stdio` /G'; do
    sed "$change" "$page" >"$work/sample.md"
    if check "$work/sample.md" >"$work/output"; then
        echo "the rule does not notice the change $change"
        exit 1
    fi
done
