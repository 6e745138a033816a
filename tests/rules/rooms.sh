#!/bin/sh
# A room may include itself and the rooms before it, and the engine's rooms nothing that does I/O.
set -u
rooms=' base json schema protocol store server pipeline runtime client gateway '
core=' base json schema protocol store server pipeline '
system='sys/socket.h|netinet/.*|pthread.h|threads.h|uv.h|llhttp.h|unistd.h|time.h|sys/.*|signal.h'
failed=0

for directory in src/*/; do
    room=$(basename "$directory")
    case $rooms in
    *" $room "*) ;;
    *) echo "src/$room is not a known room"; failed=1; continue ;;
    esac
    allowed=" ${rooms%% "$room" *} $room "
    for file in "$directory"*.[ch]; do
        [ -e "$file" ] || continue
        for other in $(sed -n 's|^ *# *include "\([^/"]*\)/.*|\1|p' "$file"); do
            case $allowed in
            *" $other "*) ;;
            *) echo "$file includes from $other"; failed=1 ;;
            esac
        done
        case $core in
        *" $room "*)
            grep -nE "^ *# *include <($system)>" "$file" /dev/null && failed=1 ;;
        esac
    done
done
exit $failed
