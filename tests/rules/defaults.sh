#!/bin/sh
# A default is written once: those that several places read are rows of src/base/defaults.h.
set -u
failed=0

report() {
    [ -z "$1" ] && return
    printf '%s:\n%s\n' "$2" "$1"
    failed=1
}

sources=$(find src -name '*.[ch]')
twice=$(grep -ohE '(^|[ {])DEFAULT_[A-Z_]+ = [^=]' $sources | grep -oE 'DEFAULT_[A-Z_]+' | sort | uniq -d)
rows=$(sed -n 's/^ *X(\([A-Z_]*\), *[0-9].*/DEFAULT_\1/p' src/base/defaults.h)
[ -n "$rows" ] || { echo "src/base/defaults.h has no rows"; exit 1; }
for name in $rows; do
    grep -qE "(^|[ {])$name = [^=]" $sources && twice="$twice $name"
    grep -qwE "$name" $(echo "$sources" | grep -v base/defaults.h) ||
        report "$name" "a default that no code reads"
done
report "$twice" "a default that is defined twice"
report "$(grep -nE '\.initial = "[1-9]' src/config/option.c)" \
    "a default of its own; make it a row of src/base/defaults.h"
report "$(grep -nE '\? [^:]*: ("/|"[0-9]|[0-9]{2})' $sources | grep -E '([a-z_]+) = .*\b\1 \? .*\b\1 :')" \
    "a default as a literal"

# The public headers say them in comments.
commas() {
    echo "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\(,\|$\)/\1,\2\3/' -e 't again'
}
while read -r header member name; do
    row=$(sed -n "s/^ *X($name, *\([0-9]*\), *\([A-Za-z]*\)).*/\1 \2/p" src/base/defaults.h)
    number=${row% *}
    case ${row#* } in
    KiB | MiB) text=$row ;;
    s) text=$(commas $((number * 1000))) ;;
    m) text="($(commas $((number * 60000)))|$number minutes)" ;;
    *) text=$(commas "$number") ;;
    esac
    grep -qE "^    .* $member;.*[ :]$text([^0-9,]|, )" "include/haft/$header" ||
        report "include/haft/$header: $member: $text" "a comment that does not state the default"
done <<END
server.h timeout_ms TIMEOUT
server.h max_message MESSAGE
server.h max_depth DEPTH
server.h max_in_flight IN_FLIGHT
server.h max_subscriptions SUBSCRIPTIONS
run.h workers WORKERS
run.h max_queue QUEUE
run.h max_unsent STDIO_UNSENT
run.h grace_ms GRACE
run.h drain_ms DRAIN
http.h max_sessions SESSIONS
http.h session_idle_ms SESSION_IDLE
http.h workers WORKERS
http.h max_queue QUEUE
http.h max_connections CONNECTIONS
http.h max_per_address PER_ADDRESS
http.h max_headers HEADERS
http.h max_url URL
http.h max_unsent HTTP_UNSENT
http.h header_ms HEADER_TIME
http.h body_ms BODY_TIME
http.h idle_ms IDLE_TIME
http.h drain_ms DRAIN
gateway.h workers WORKERS
END
exit $failed
