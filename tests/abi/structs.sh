#!/bin/sh
# structs.sh - every struct in the public headers begins with its size, so that it can grow, or VERSIONING.md says of it
# that it does not or that only the library makes it.
set -eu
structs() { # NAME 1 for one that can grow, else NAME 0
    cat include/haft/*.h | awk '
        /^(typedef )?struct haft_[a-z_0-9]+ \{$/ { sub(/ \{$/, ""); sub(/.*struct /, ""); name = $0; open = 1; next }
        open { print name, /^ *size_t struct_size[;,]/ ? 1 : 0; open = 0 }'
}
named() { # between the heading of those that do not grow and the next one
    awk '/^## / { in_list = /do not grow/ } in_list' VERSIONING.md | grep -o '`haft_[a-z_0-9]*`' | tr -d '\140' | sort -u
}

# Those that a plugin and a type have in their data tell their sizes otherwise.
unnamed=$(structs | awk '$2 == 0 { print $1 }' | grep -v -x -e haft_field -e haft_plugin -e haft_gateway_part | sort -u |
    { named | comm -23 /dev/fd/3 -; } 3<&0)
if [ -n "$unnamed" ]; then
    echo "These structs neither begin with struct_size nor are they named in VERSIONING.md:"
    echo "$unnamed"
    exit 1
fi
gone=$(structs | awk '{ print $1 }' | sort -u | { named | comm -13 /dev/fd/3 -; } 3<&0)
[ -z "$gone" ] || { echo "VERSIONING.md names structs that do not exist: $gone"; exit 1; }
both=$(structs | awk '$2 == 1 { print $1 }' | sort -u | { named | comm -12 /dev/fd/3 -; } 3<&0)
[ -z "$both" ] || { echo "VERSIONING.md says that these do not grow, but they begin with struct_size: $both"; exit 1; }
[ "$(structs | wc -l)" -gt 50 ] || { echo "too few structs were found"; exit 1; }
