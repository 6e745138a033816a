#!/bin/sh
# try.sh OUT SUITE URI - installs the packages in OUT in a fresh Debian SUITE, made from the archive URI, as
# docs/packages.md has it, and there compiles a server by one command and calls its tool.  As root.
set -eu
out=$(cd "$1" && pwd) suite=$2 uri=$3
root=$out/try-$suite

say() {
    printf -- '-- %s\n' "$*"
}

# Runs a command in the new system, which has processes of its own and ends with it.
inside() {
    unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" \
        /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# block PAGE HEADING LANGUAGE - the first block of code in a section of a page
block() {
    awk -v heading="$2" -v fence="\`\`\`$3" '
        /^## / { section = $0 == "## " heading }
        section && $0 == fence { inside = 1; next }
        inside && /^```/ { exit }
        inside' "$1"
}

# expect WHAT PATTERN COMMAND...
expect() {
    what=$1 pattern=$2
    shift 2
    got=$("$@" 2>&1) || { echo "$what failed: $got"; exit 1; }
    echo "$got" | grep -qE -e "$pattern" || { echo "$what printed '$got', without '$pattern'"; exit 1; }
    say "$what: $(echo "$got" | head -n 1)"
}

say "a fresh $suite"
rm -rf "$root"
mmdebstrap --quiet --variant=minbase "$suite" "$root" "$uri"
mkdir "$root/root/debs"
cp "$out"/*.deb "$root/root/debs"
rm -f "$root"/root/debs/*-dbgsym_*

say "the packages and a compiler"
inside apt-get -qq update
if [ "$suite" = bookworm ]; then
    block docs/packages.md "Debian 12" sh >"$root/root/sources.sh"
    [ -s "$root/root/sources.sh" ] || { echo "docs/packages.md does not say how to install on Debian 12"; exit 1; }
    inside sh -eu /root/sources.sh >/dev/null
fi
inside sh -c 'apt-get -qq -y --no-install-recommends install g++ pkg-config /root/debs/*.deb </dev/null' \
    >"$out/try-$suite.log" 2>&1 || { tail -n 20 "$out/try-$suite.log"; exit 1; }
# Nothing else came from the next release.
[ "$suite" != bookworm ] || expect "the C library" 'bookworm' inside sh -c '. /etc/os-release; dpkg -s libc6 | grep -q "^Version: 2.36" && echo $VERSION_CODENAME'

expect "haft --version" '^haft [0-9.]+ \(commit [0-9a-f]{7}\)$' inside haft --version
expect "the demonstration" '^5 \+ 3 = 8$' inside haft serve --demo --call add_numbers '{"a": 5, "b": 3}'
expect "the manual page" 'haft .* Model Context Protocol' inside sh -c 'zcat /usr/share/man/man1/haft.1.gz'

# The server of the README, by its command, over standard input and output, and by the client.
initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}'
initialized='{"jsonrpc":"2.0","method":"notifications/initialized"}'
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40}}}'
adds() {
    printf '%s\n' "$initialize" "$initialized" "$call" >"$root/root/messages"
    expect "$1, tools/call" '"id":1,.*"structuredContent":\{"sum":42(\.0)?\}' inside sh -c "/root/$1 </root/messages | tail -n 1"
    expect "$1, haft call" '42' inside haft call add a=2 b=40 -- "/root/$1"
}
awk '/^```c$/ { inside = 1; next } inside && /^```/ { exit } inside' README.md >"$root/root/adder.c"
inside sh -c 'cd /root && cc adder.c -o adder $(pkg-config --cflags --libs haft)'
adds adder
# Over HTTP, for which the client loads the part.
cat >"$root/root/http.sh" <<'END'
/root/adder --http 127.0.0.1:0 2>/root/log &
until url=$(sed -n 's/.*listening on //p' /root/log) && [ -n "$url" ]; do
    kill -0 $! || { cat /root/log; exit 1; }
    sleep 0.1
done
haft call "$url" add a=2 b=40
END
expect "adder, haft call over HTTP" '"sum":42' inside sh -eu /root/http.sh
inside sh -c 'cd /root && cc adder.c -o adder-static -Wl,--as-needed $(pkg-config --cflags --libs haft-static)'
adds adder-static
if [ -e "$root/usr/include/haft.hpp" ]; then
    cp "$root/usr/share/doc/haft/examples/adder.cpp" "$root/root/adder-cpp.cpp"
    inside sh -c 'cd /root && c++ -std=c++17 adder-cpp.cpp -o adder-cpp $(pkg-config --cflags --libs haft)'
    adds adder-cpp
else
    say "skipped: there is no haft.hpp in these packages, so no server in C++"
fi

say "removing the packages"
inside sh -c 'apt-get -qq -y purge "*haft*" </dev/null' >>"$out/try-$suite.log" 2>&1
left=$(find "$root/usr" "$root/etc" -name '*haft*')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
rm -rf "$root"
say "$suite is well"
