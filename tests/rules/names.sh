#!/bin/sh
# A static function carries its file's noun and an enumerator its subject's: each name is in one file, so that grep and
# a debugger find it, and all sources can be one.  A function that others link carries haft_ or hf_.
set -u
uncomment=$(cat "$(dirname "$0")/uncomment.awk")

found=$(find src apps -name '*.[ch]' | sort | xargs awk "$uncomment"'
    function see(name) {
        if (!((name, FILENAME) in seen)) {
            seen[name, FILENAME] = 1
            count[name]++
            files[name] = files[name] " " FILENAME
        }
    }
    FNR == 1 { inside = 0; uncomment_start() }
    /^static [^=(]*[a-z0-9_]\(/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
        see(name)
    }
    {
        line = uncomment($0)
        if (!inside && line ~ /(^|[^A-Za-z0-9_])enum[ a-z0-9_]*\{/) {
            inside = 1
            sub(/.*enum[ a-z0-9_]*\{/, "", line)
        }
        if (inside) {
            if (index(line, "}")) { inside = 0; sub(/\}.*/, "", line) }
            n = split(line, parts, ",")
            for (i = 1; i <= n; i++)
                if (match(parts[i], /^ *[A-Z][A-Z0-9_]*/)) {
                    name = substr(parts[i], RSTART, RLENGTH)
                    gsub(/ /, "", name)
                    see(name)
                }
        }
    }
    END {
        for (name in count)
            if (count[name] > 1)
                print name ":" files[name]
    }' | sort)
if [ -n "$found" ]; then
    printf '%s\n' "$found" "a name in several files: put the noun of the file in front of it"
    exit 1
fi
