#!/bin/sh
# Every relative link in a Markdown file leads to a file that is there, and to a heading of it that is there.
# Links inside code are not links.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The links of the files: FILE:LINE TARGET; and their headings as GitHub names them: FILE#ANCHOR.
scan() {
    LC_ALL=C awk -v links="$work/links" -v anchors="$work/anchors" '
    function anchor(text) {
        gsub(/\]\([^)]*\)/, "", text)
        text = tolower(text)
        gsub(/[^a-z0-9 _\200-\377-]/, "", text)
        gsub(/ /, "-", text)
        return text
    }
    FNR == 1 { inside = 0; print FILENAME "#" > anchors }
    /^ *```/ { inside = !inside; next }
    inside { next }
    /^#+ / {
        name = $0
        sub(/^#+ +/, "", name); sub(/ +$/, "", name)
        name = anchor(name)
        print FILENAME "#" name (seen[FILENAME, name]++ ? "-" seen[FILENAME, name] - 1 : "") > anchors
    }
    {
        gsub(/`[^`]*`/, "")
        while (match($0, /\]\([^) ]+/)) {
            target = substr($0, RSTART + 2, RLENGTH - 2)
            $0 = substr($0, RSTART + RLENGTH)
            if (target !~ /^[a-z]+:/)
                print FILENAME ":" FNR, target > links
        }
    }' "$@"
}

# Makes ./ and DIR/../ go, so that one file has one name.
plain() {
    echo "$1" | sed -e 's|/\./|/|g' -e 's|^\./||' -e ':a' -e 's|[^/.][^/]*/\.\./||;ta'
}

check() {
    : >"$work/links"
    : >"$work/anchors"
    scan "$@"
    found=0
    while read -r place target; do
        page=${place%:*} path=${target%%#*}
        case $target in *\#*) part=${target#*#} ;; *) part= ;; esac
        if [ -n "$path" ]; then file=$(plain "$(dirname "$page")/$path"); else file=$page; fi
        if [ ! -e "$file" ]; then
            echo "$place: no file $file"
            found=1
        elif [ -n "$part" ] && ! grep -qxF "$(plain "$file")#$part" "$work/anchors"; then
            echo "$place: no heading #$part in $file"
            found=1
        fi
    done <"$work/links"
    return $found
}

# First that the check finds what is wrong, and nothing else.
mkdir "$work/sample"
cat >"$work/sample/a.md" <<END
# One \`two\`, three
[right](#one-two-three) [right](b.md#again-1) [right](../sample/b.md) [right](https://example.org/none)
[wrong](c.md) [wrong](b.md#nowhere) \`[code](none)\`
END
printf '# Again\n## Again\n' >"$work/sample/b.md"
wrong=$(check "$work/sample/a.md" "$work/sample/b.md")
if [ "$(echo "$wrong" | grep -c .)" != 2 ] || [ "$(echo "$wrong" | grep -c 'a.md:3:')" != 2 ]; then
    printf 'the check itself is wrong:\n%s\n' "$wrong"
    exit 1
fi

check $(find . \( -name build -o -name node_modules -o -name .git \) -prune -o -name '*.md' -print | sed 's|^\./||')
