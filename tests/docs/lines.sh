#!/bin/sh
# lines.sh [--write] - the table in docs/cpp.md of how long the same server is in several languages: lines that are
# neither empty nor a comment, for each tool and for the rest.  Fails when the page has another one; --write puts it there.
set -u
page=docs/cpp.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count FILE - the lines of each section, which a comment such as "---- add ----" begins.
count() {
    awk '
    BEGIN { section = "rest" }
    /---- [a-z]+ ----/ { section = $3; next }
    /^(int main|if __name__|await server.connect)/ { section = "rest" }
    /^"""/ && !docstring { docstring = !/"""$/ || length($0) == 3; next }
    docstring { if (/"""/) docstring = 0; next }
    comment { if (/\*\//) comment = 0; next }
    /^[ \t]*\/\*/ { comment = !/\*\//; next }
    /^[ \t]*#[^a-z]/ || /^[ \t]*$/ { next }
    { lines[section]++; total++ }
    END { printf "%d | %d | %d | %d | %d | %d | **%d**\n", lines["add"], lines["search"], lines["names"],
          lines["order"], lines["remove"], lines["rest"], total }' "$1"
}

{
    echo '| | `add` | `search` | `names` | `order` | `remove` | the rest | together |'
    echo '|---|---|---|---|---|---|---|---|'
    while read -r file name; do
        echo "| [$name](../$file) | $(count "$file") |"
    done <<END
examples/stock.cpp C++, haft
examples/compare/stock.c C, haft
examples/compare/stock.ts TypeScript, official SDK
examples/compare/stock.py Python, FastMCP
END
} >"$work/table"

if [ "${1:-}" = --write ]; then
    awk -v table="$work/table" '
    /<!-- lines -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
    /<!-- end -->/ { skip = 0 }
    !skip' "$page" >"$work/page" && cp "$work/page" "$page"
    exit
fi
sed -n '/<!-- lines -->/,/<!-- end -->/p' "$page" | sed '1d;$d' | diff - "$work/table" && exit 0
echo "docs/cpp.md has another table: sh tests/docs/lines.sh --write"
exit 1
