#!/bin/sh
# shorten.sh INCLUDE OUT - the public headers as they were before the last member of every struct that may grow was
# added: of those that begin with struct_size, and of what else a program has in its data.  Prints the names of the
# structs.
set -eu
include=$1 out=$2
mkdir -p "$out/haft"

for header in "$include"/haft.h "$include"/haft/*.h; do
    name=${header#"$include"/}
    # Without comments, which may hold semicolons and braces; and without the members that a macro fills in.
    awk '
        {
            while (1) {
                if (inside) {
                    end = index($0, "*/")
                    if (!end) { $0 = before; break }
                    $0 = before substr($0, end + 2)
                    inside = 0
                }
                begin = index($0, "/*")
                if (!begin) break
                before = substr($0, 1, begin - 1)
                $0 = substr($0, begin + 2)
                inside = 1
            }
            if (!inside) { sub(/[ \t]+$/, ""); print; before = "" }
            else if (before != "") { print before; before = "" }
        }' "$header" | sed 's/\.numbers = T##_numbers_}/}/; s/\.version = HAFT_VERSION_NUMBER, //' |
    awk -v names="$out/names" '
        function cut(line,    at) { # the last declarator of a declaration
            at = match(line, /, *\**[a-z_0-9]+;$/)
            return index(line, "(") || !at ? "" : substr(line, 1, at - 1) ";"
        }
        { line[NR] = $0 }
        /^(typedef )?struct haft_[a-z_]+ *\{$/ {
            open = NR; grows = 0
            sub(/ *\{$/, ""); sub(/.*struct /, ""); name = $0
            next
        }
        open && /size_t struct_size[;,]/ { grows = 1 }
        open && /^\}/ {
            if (grows || name == "haft_string_rules" || name == "haft_plugin" || name == "haft_gateway_part") {
                # A declaration may go over several lines: it begins after the one before it.
                for (last = NR - 1; line[last] ~ /^ *$/; last--) ;
                for (first = last; first > open + 1 && line[first - 1] !~ /;$/; first--) ;
                all = ""
                for (i = first; i <= last; i++) { all = all line[i]; line[i] = "" }
                line[last] = cut(all)
                print name >> names
            }
            open = 0
        }
        END { for (i = 1; i <= NR; i++) print line[i] }' > "$out/$name"
done
sort -u "$out/names"
