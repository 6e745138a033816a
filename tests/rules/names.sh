#!/bin/sh
# A static function carries its file's noun, so that grep and a debugger find it in one place.  Names
# that several files still have are counted, and their number may only fall.
set -u
maximum=63

names=$(find src apps -name '*.[ch]' | sort | xargs awk '
    /^static [^=(]*[a-z0-9_]\(/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
        if (!((name, FILENAME) in seen)) {
            seen[name, FILENAME] = 1
            count[name]++
            files[name] = files[name] " " FILENAME
        }
    }
    END {
        for (name in count)
            if (count[name] > 1)
                print name ":" files[name]
    }' | sort)
number=$(printf '%s' "$names" | grep -c .)
clean='src/(base|json|schema|protocol|store|client|process|observe|loop|stdio|http|plugin|config|cli)/'
again=$(printf '%s' "$names" | grep -E "$clean")
if [ -n "$again" ]; then
    printf '%s\n' "$again" "a static function in a room where every name was unique"
    exit 1
fi
if [ "$number" -gt "$maximum" ]; then
    printf '%s\n' "$names" "$number static functions share their name with another file; $maximum may"
    exit 1
fi
[ "$number" -eq "$maximum" ] ||
    echo "only $number static functions share a name: write that into tests/rules/names.sh"
exit 0
