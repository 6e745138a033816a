# system.sh - fresh Debian systems to try haft in: sourced by try.sh, fresh.sh and suite.sh, which set root, the directory
# of the system, and log, where the output of its commands goes.  As root, in the top directory of the tree.

say() {
    printf -- '-- %s\n' "$*"
}

# Runs a command in the system, with processes of its own; they and the mounts end with it.  Its root is a mount of its
# own: in another one, tests could not mount anything.
inside() {
    unshare --mount --pid --fork --kill-child \
        sh -c 'mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"' sh "$root" \
        /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/root/ca.crt} "$@"
}

# quietly WHAT COMMAND... - a command whose output matters only if it fails
quietly() {
    say "$1"
    shift
    "$@" >>"$log" 2>&1 </dev/null || { tail -n 20 "$log"; echo "failed; all of the output is in $log"; exit 1; }
}

# expect WHAT PATTERN COMMAND... - a command that succeeds and prints a line that matches
expect() {
    what=$1 pattern=$2
    shift 2
    got=$("$@" 2>&1) || { echo "$what failed: $got"; exit 1; }
    echo "$got" | grep -qE -e "$pattern" || { echo "$what printed '$got', without '$pattern'"; exit 1; }
    say "$what: $(echo "$got" | grep -E -m 1 -e "$pattern" | cut -c 1-120)"
}

# block PAGE HEADING LANGUAGE [N] - the Nth block of code in a section of a page, or, if HEADING is empty, in the page
block() {
    awk -v heading="$2" -v fence="\`\`\`$3" -v n="${4:-1}" '
        BEGIN { section = heading == "" }
        heading != "" && /^## / { section = $0 == "## " heading }
        section && $0 == fence { inside = ++count == n; next }
        inside && /^```/ { exit }
        inside' "$1" | grep '' || { echo "$1 has no block of $3 under '$2'" >&2; return 1; }
}

# make_system SUITE URI - a system with nothing but apt
make_system() {
    say "a fresh $1"
    rm -rf "$root"
    : >"$log"
    mmdebstrap --quiet --variant=minbase "$1" "$root" "$2"
    [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$root/root/ca.crt"
}

# What a client sends to call the tool.
messages() {
    cat <<'END'
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40}}}
END
}

# adds SERVER - its tool can be listed and called: by messages, by the program, and by the official client in TypeScript
adds() {
    expect "$1, tools/call" '"id":1,.*"structuredContent":\{"sum":42(\.0)?\}' inside sh -c "/root/$1 </root/messages | tail -n 1"
    expect "$1, haft tools" '^add ' inside haft tools -- "/root/$1"
    expect "$1, haft call" '42' inside haft call add a=2 b=40 -- "/root/$1"
    expect "$1, TypeScript SDK" '^\{"sum":42\}$' inside node /root/client/client.mjs "/root/$1"
}

# compile SOURCE SERVER - by the command of the README, but with another name for the program
compile() {
    command=$(sed -n "s/^\(c[c+]* .*$1 -o\) adder \([^#]*[^# ]\).*/\1 $2 \2/p" README.md)
    [ -n "$command" ] || { echo "README.md does not say how to compile $1"; exit 1; }
    say "$command"
    inside sh -c "cd /root && $command"
}

# What README.md promises of an installed haft.
use_haft() {
    expect "haft --version" '^haft [0-9.]+( \(commit [0-9a-f]{7}\))?$' inside haft --version
    expect "the demonstration" '^5 \+ 3 = 8$' inside haft serve --demo --call add_numbers '{"a": 5, "b": 3}'
    quietly "man, node and npm" inside apt-get -q -y --no-install-recommends install man-db nodejs npm
    expect "man haft" 'haft .* Model Context Protocol' inside man haft
    expect "man haft_add" 'int haft_add\(' inside man haft_add
    expect "man 7 haft" 'haft-server' inside man 7 haft

    sdk=$(sed -n 's/.*"@modelcontextprotocol\/sdk": "\(.*\)".*/\1/p' tests/e2e/package.json)
    mkdir "$root/root/client"
    cp tests/package/client.mjs "$root/root/client"
    quietly "@modelcontextprotocol/sdk $sdk" inside npm --prefix /root/client install --loglevel=error "@modelcontextprotocol/sdk@$sdk"

    messages >"$root/root/messages"
    block README.md "Write a server" c >"$root/root/adder.c"
    block README.md "Write a server" cpp >"$root/root/adder.cpp"
    compile adder.c adder
    adds adder
    compile adder.cpp adder-cpp
    adds adder-cpp
    cp tests/package/http.sh "$root/root"
    expect "adder, haft call over HTTP" '"sum":42' inside sh -eu /root/http.sh
    inside sh -c 'cd /root && cc adder.c -o adder-static -Wl,--as-needed $(pkg-config --cflags --libs haft-static)'
    adds adder-static
}

# Removing the packages leaves nothing behind.
remove_haft() {
    quietly "removing the packages" inside apt-get -qq -y purge '*haft*'
    left=$(find "$root/usr" "$root/etc" -name '*haft*')
    [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
}
