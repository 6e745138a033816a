#!/bin/sh
# A struct of ours has at most 30 members: more than that is several subjects, and each gets a struct with a name.
# Those that may be larger are here, each with a reason.
set -u
uncomment=$(cat "$(dirname "$0")/uncomment.awk")
maximum=30

# FILE STRUCT  reason
allowed='
src/gateway/gateway.h haft_gateway_request  the request, its way through the policies and the response are read together at each step
src/http/client/room.h http_request  libcurl calls back with this one pointer; its flags are independent of each other
src/http/http.h connection  handles of libuv and states of the parser, which live and die with the socket
src/http/http.h haft_http  handles of libuv and the counts of one loop, which nobody shares
'

found=$(find src apps -name '*.h' | sort | xargs awk -v maximum=$maximum "$uncomment"'
    function finish() {
        if (members > maximum)
            print file, name, members
    }
    FNR == 1 { inside = 0; uncomment_start() }
    {
        line = uncomment($0)
    }
    !inside && line ~ /^(typedef )?(struct|union) [a-z_0-9]+ *\{/ {
        name = line
        sub(/^(typedef )?(struct|union) /, "", name)
        sub(/ *\{.*/, "", name)
        file = FILENAME
        inside = 1
        members = 0
        depth = 0
        next
    }
    inside && line ~ /^\}/ { finish(); inside = 0; next }
    inside {
        # One for each name that a declaration has; of a struct in the struct, its own members.
        n = split(line, piece, "")
        for (i = 1; i <= n; i++) {
            if (piece[i] == "(" || piece[i] == "[") depth++
            if (piece[i] == ")" || piece[i] == "]") depth--
            if (piece[i] == ";" || (piece[i] == "," && !depth)) members++
        }
    }')

failed=0
while read -r file name members; do
    [ -n "$file" ] || continue
    printf '%s' "$allowed" | grep -q "^$file $name  ." && continue
    echo "$file: struct $name has $members members; at most $maximum"
    failed=1
done <<END
$found
END
while read -r file name reason; do
    [ -z "$file" ] || printf '%s\n' "$found" | grep -q "^$file $name " ||
        echo "struct $name is no longer that large: take it off the list in tests/rules/members.sh"
done <<END
$allowed
END
exit $failed
