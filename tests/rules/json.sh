#!/bin/sh
# JSON is written by src/json/writer.c: no string literal has a brace or a comma in front of a quote, or a quote and a
# colon without a space behind it.  A literal that is a whole document ("{...}" without a conversion) is data, and may be anywhere.
# Files that place punctuation themselves are here, each with a reason.
set -u

# FILE  reason
allowed='
src/json/writer.h  the macros for keys
src/engine/call/respond.c  the frame of each response: one copy a literal
src/engine/call/tool_call.c  the frame of each result
src/engine/call/fault.c  a response that must be written when memory is short, in one piece
src/engine/call/content.c  sizes of blocks are known before they are written
src/engine/call/content_block.h  the block that most results are
src/engine/call/content_kinds.c  how each kind of block begins, as data with its size
src/engine/call/content_write.c  blocks of each result
src/engine/offer/lint.c  looks for a key in JSON, and writes none
src/auth/token/jwk.c  the text of a thumbprint, which is hashed in pieces
apps/haft/serve.c  an example of a file, as help
apps/home/template/token.c  braces of Handlebars, in an error
'

# Lines with such a literal, as FILE:LINE: TEXT; comments are not looked at.
found() {
    awk '
        FNR == 1 { comment = 0 }
        {
            line = $0
            if (comment) {
                if (!index(line, "*/")) next
                sub(/.*\*\//, "", line)
                comment = 0
            }
            gsub(/\/\*[^*]*\*\//, "", line)
            if (index(line, "/*") && line !~ /".*\/\*.*"/) { sub(/\/\*.*/, "", line); comment = 1 }
            while (match(line, /"([^"\\]|\\.)*"/)) {
                text = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
                if (text ~ /^\{.*\}$/ && text !~ /%/) continue
                if (text ~ /[{,]\\"/ || text ~ /\\":([^ ]|$)/) { print FILENAME ":" FNR ": " $0; break }
            }
        }' "$@"
}

# It can fail.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'END'
    haft_buffer_puts(out, "{\"name\":");
    haft_buffer_printf(out, ",\"size\":%zu", size);
    haft_buffer_printf(out, "{\"size\":%zu}", size);
    haft_buffer_puts(out, "\"name\":");
    /* {"name":"x"} and "{\"name\":" */
    const char *all = "{\"name\":\"x\"}";
    hf_json_text(json_key(&w, "name"), "a \"quoted\" word");
END
[ "$(found "$sample" | wc -l)" -eq 4 ] || { echo "the rule does not find what it should:"; found "$sample"; exit 1; }

failed=0
bad=$(found $(find src apps -name '*.[ch]' | sort))
for file in $(echo "$allowed" | awk 'NF { print $1 }'); do
    printf '%s\n' "$bad" | grep -q "^$file:" || { echo "$file has no such literal: take it off the list"; failed=1; }
    bad=$(printf '%s\n' "$bad" | grep -v "^$file:")
done
[ -z "$bad" ] || { printf 'JSON written by hand; use src/json/writer.h:\n%s\n' "$bad"; failed=1; }
exit $failed
