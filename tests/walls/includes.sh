#!/bin/sh
# includes.sh CORE OUTER - a room includes itself and the rooms before it, and the rooms of the core nothing that
# does I/O.  Both are lists with blanks, from the lowest to the highest.
set -u
core=$1 rooms="$1 $2"
system='sys/socket.h|netinet/.*|pthread.h|threads.h|uv.h|llhttp.h|unistd.h|time.h|sys/.*|signal.h'
failed=0

allowed=' '
for room in $rooms; do
    allowed="$allowed$room "
    for file in src/"$room"/*.[ch]; do
        [ -e "$file" ] || continue
        for header in $(sed -n 's|^ *# *include "\([^"]*\)".*|\1|p' "$file"); do
            case $allowed in
            *" ${header%/*} "*) ;;
            *) echo "$file includes $header"; failed=1 ;;
            esac
        done
        case " $core " in
        *" $room "*) grep -nE "^ *# *include <($system)>" "$file" /dev/null && failed=1 ;;
        esac
    done
done
for file in $(find src -name '*.c'); do
    room=$(dirname "${file#src/}")
    case " $rooms bare " in
    *" $room "*) ;;
    *) echo "$file is in no room"; failed=1 ;;
    esac
    grep -q "\b$(basename "$file")\b" "$(dirname "$file")/CMakeLists.txt" ||
        { echo "$file is not in the list of its room"; failed=1; }
done
exit $failed
