#!/bin/sh
# sessions.sh PAGE BUILD [--write] - the terminal sessions in a page are true.  Each ```console block is run
# by one shell, where the examples are, with the files that blocks of the page have after their language;
# what it prints, with the commands, must be the block.  The address in the page is that of the shop, which is
# served here on a port of its own.  --write puts what is printed into the page instead.
set -u
page=$1 build=$2 write=${3:-}
shown=http://127.0.0.1:8808
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
mkdir "$work/there"
cp "$build"/examples/divide "$build"/examples/calculator "$work/there"

"$build/bin/haft" serve --demo --http 127.0.0.1:0 2>"$work/log" &
server=$!
url=
for try in $(seq 100); do
    url=$(sed -n 's|.*listening on \(.*\)/mcp$|\1|p' "$work/log")
    [ -z "$url" ] || break
    sleep 0.1
done
[ -n "$url" ] || { echo "the shop does not listen"; exit 1; }

# The blocks, each as what it shows and as a script; a command sees the exit code of the one before it.
awk -v out="$work" -v shown="$shown" -v url="$url" -v quote="'" '
/^```console$/ { count++; inside = 1; next }
/^```[a-z]+ [^ ]+$/ { given = out "/there/" $2; next }
/^```$/ { inside = 0; given = ""; next }
given { print > given }
inside {
    file = sprintf("%s/%03d", out, count)
    print > (file ".shown")
    if (sub(/^\$ /, "")) {
        line = $0
        gsub(quote, quote "\\" quote quote, line)
        while (at = index($0, shown))
            $0 = substr($0, 1, at - 1) url substr($0, at + length(shown))
        printf "printf \"$ %%s\\n\" %s%s%s; (exit \"${code:-0}\")\n%s\ncode=$?\n", quote, line, quote, $0 > (file ".sh")
    }
}' "$page"

failed=0
for script in "$work"/[0-9]*.sh; do
    block=${script%.sh}
    (cd "$work/there" && PATH="$build/bin:$PATH" NO_COLOR=1 XDG_STATE_HOME="$work/state" timeout 60 sh "$script") </dev/null 2>&1 |
        sed "s|$url|$shown|g" >"$block.got"
    [ -n "$write" ] || diff -u "$block.shown" "$block.got" || failed=1
done

if [ -n "$write" ]; then
    awk -v out="$work" '
    /^```console$/ { count++; inside = 1; print; while ((getline line < sprintf("%s/%03d.got", out, count)) > 0) print line; next }
    /^```$/ && inside { inside = 0 }
    !inside' "$page" >"$work/page" && cp "$work/page" "$page"
fi
[ -e "$work/001.sh" ] || { echo "$page has no sessions"; failed=1; }
exit $failed
