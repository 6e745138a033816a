#!/bin/sh
# english.sh [--all | FILE...] - phrases that are correct grammar but nobody's English, and homely words for terms of
# the trade, are not in what users read.  The table below has each phrase with what to write instead.
#
# It checks the prose of Markdown files and manual pages (not their code blocks, nor tables that a test generates), the
# string literals of C and C++ files, and comments: those of the public headers, which are the reference, and, with a
# second table, those of the files that `rewritten` accepts.  `enabled` lists the files and folders that must pass, and
# `commented` folders of which only the comments must pass.  `later` lists those that do not pass yet, also inside folders of `enabled`:
# remove the line when the text has been rewritten.  --all checks both, to see what is left.
#
# An exception is a line of english.txt: FILE | PHRASE | REASON.
set -u
here=$(dirname "$0")

enabled='
README.md
CONTRIBUTING.md
SECURITY.md
VERSIONING.md
ROADMAP.md
CHANGELOG.md
DEPENDENCY_POLICY.md
docs
include
packaging
src
apps
'
commented='
examples
bench
tests/support
'
later='
'

# Whether all comments of a file must pass, also those that are not the reference.
rewritten() {
    case $1 in
    src/*.[ch] | apps/*.[ch] | examples/*.[ch] | bench/*.[ch] | tests/support/*.[ch] | */internal.[ch]) ;;
    *) return 1 ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An extended regular expression over lower-case text with one space between words, and what to write instead.
cat >"$work/phrases" <<'END'
 (is|are|was|were) no [a-z]+	"is not a ..."
 (is|are|was|were) none[ .,;:]	name what is missing
[^a-z](whoever|whomever|whosoever)[^a-z]	name the actor: "a client that ...", "the operator"
 so grave	"minimum severity"
 the least [a-z]	"minimum"
 the most that 	"maximum"
 (at least|at most) so 	state the limit
 counts (more|when|only|for|as|anew)[ .,;:]	"applies", "overrides"
 for want of 	"because there is no ..."
 (is|are|was|were) told[ .,;:]	name the actor: "haft notifies", "the error includes"
 (is|are|was|were) said[ .,;:]	name the actor: "haft reports", "the log has"
 (is|are|was) (not )?spoken	"uses", "supports"
 spoken to 	"talks to it"
 (is|are) (not )?heard[ .,;:]	"reads", "processes"
 greeted with 	"haft sends ..."
 sign of life	"checks that the server responds"
[.;:|#] what (is|are|does|do|has|was|may|nobody|comes|cannot|could|would|needs|must|stands|goes|can) [^?]*$	start with the noun: "A key that ...", "Values that ..."
[.;:|#] who [a-z]+s 	"A client that ..."
, too([.;:,)|]| +$)	put "also" in front of the verb
, also[.;:)|]	put "also" in front of the verb
 stead[ .,;:]	"instead"
 stands? (around|behind|beside|before) 	"wraps", "follows", "precedes"
 as good as 	say what happens
 off this machine	"non-loopback address"
 this machine alone	"loopback only"
 at no moment	"never"
 nobody says 	"unset"
 texts[ .,;:]	"strings"
 socket in the file system	"Unix socket"
 with a word [a-z]	"with a message"
 a word about 	"a message about"
 (does|do) without[.,;:]	"falls back to ..."
 (is|are) to be [a-z]+ed[ .,;:]	"must be", "will be"
 that there (is|are)[.,;:]	"the existing ones"
 anew[ .,;:]	"again"
 by hand of 	"by"
 say so by 	"pass --option"
 nobody called 	"was not called"
 well written[ .,;:]	"malformed", "is not valid"
 stumble over 	"problems with"
 cannot be looked at	"cannot be validated"
 could not be looked at	"cannot be validated"
 in so much time	"per interval"
END

# The same for internal comments, which use no metaphors where the trade has a word.
cat >"$work/idiom" - "$work/phrases" <<'END'
[^a-z](any|some)body[^a-z]	name the actor: "the caller", "a thread"
[^a-z]nobody (asks|wants|waits|looks|has|takes|says|listens)[^a-z]	name the actor
 of (its|their|his|one's) own[ .,;:)]	"separate", "its own ..."
 the same of 	"the same for"
 but for (the|its|their|what|those|a|one) 	"except"
 (is|are|be|been|was|were) looked (at|through)[ .,;:]	"examined", "checked", "read"
 looks? at [a-z]	"examines", "checks", "reads"
 (gives?|given|gave) back[ .,;:]	"frees", "returns", "releases"
 at work[ .,;:)]	"running", "active"
 (stand|stands|stood|standing) (in|there|here|as|at|on|by|beside|alone|apart) 	"is in", "is queued"
 in line[ .,;:)]	"queued", "in the queue"
 let go[ .,;:]	"released"
 (is|are|be|been) put together	"built", "assembled"
 without a look	"without checking"
 has a say 	"decides", "affects"
 (it|that|which) is asked[ .,;:]	name the actor
 whose it is	"its owner"
[^a-z]who (asks|calls|answers|waits|reads|writes|has|is) 	name the actor
 (is|are) (wanted|wished) (by|for)[^a-z]	"is required"
 lose(s)? its mind	say what happens
END

# The text of a file, a line for a line: prose of a page, literals of a C file.
prose() {
    LC_ALL=C awk -v kind="$1" '
    /^ *```/ { inside = !inside; print ""; next }
    /^<!-- .*end/ { written = 0 }
    /^<!-- (options|checklist|made by)/ && !/end -->$/ { written = 1 }
    inside || written { print ""; next }
    kind == "roff" { sub(/^\.[A-Z]+ ?/, ""); gsub(/\\-/, "-") }
    { gsub(/`[^`]*`/, "`"); gsub(/\]\([^)]*\)/, "]"); print }' "$2"
}

literals() {
    LC_ALL=C awk '
    {
        line = $0; out = ""
        while (line != "") {
            if (comment) {
                at = index(line, "*/")
                if (!at) break
                line = substr(line, at + 2); comment = 0
            } else if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*/)) {
                token = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                if (token == "/*") comment = 1
                else if (token ~ /^"/ && $0 !~ /^ *#include/) out = out substr(token, 2, RLENGTH - 2)
            } else
                break
        }
        gsub(/\\[nt"]/, " ", out)
        print out
    }' "$1"
}

# The text of the comments, a line for a line; not the code in them, which is indented.
comments() {
    LC_ALL=C awk '
    {
        line = $0; out = ""
        while (line != "") {
            if (!comment) {
                at = index(line, "/*")
                if (!at) break
                line = substr(line, at + 2); comment = 1
            }
            at = index(line, "*/")
            out = out (at ? substr(line, 1, at - 1) : line) " "
            if (!at) break
            line = substr(line, at + 2); comment = 0
        }
        sub(/^ *\* ?/, "", out)
        gsub(/`[^`]*`/, "`", out)
        print out ~ /^    / ? "" : out
    }' "$1"
}

# search NAME TABLE - reports FILE:LINE: phrase.  A phrase may go over the end of a line: each line is read with the next
# one.
search() {
    LC_ALL=C awk -F '\t' -v name="$1" -v phrases="$work/$2" '
    BEGIN {
        while ((getline row < phrases) > 0) {
            split(row, part, "\t")
            pattern[++n] = part[1]; instead[n] = part[2]
        }
    }
    function look(text, here, number,    i, found) {
        text = mask(text, "there (is|are|was|were) (no |none[ .,;:])")
        text = mask(text, " no (longer|more|less|fewer|better|other)[^a-z]")
        text = mask(text, "the least (recently|significant)")
        for (i = 1; i <= n; i++)
            if (match(text, pattern[i]) && RSTART <= here) {
                found = substr(text, RSTART, RLENGTH > 40 ? 40 : RLENGTH)
                gsub(/^ +| +$/, "", found)
                printf "%s:%d: \"%s\": write %s\n", name, number, found, instead[i]
            }
    }
    function plain(text) {
        text = tolower(text)
        gsub(/[ \t]+/, " ", text); sub(/^ +/, "", text); sub(/ +$/, "", text)
        return text
    }
    # What sounds alike and is right, made unreadable.
    function mask(text, right) {
        while (match(text, right)) {
            text = substr(text, 1, RSTART - 1) substr("________________________________", 1, RLENGTH) \
                substr(text, RSTART + RLENGTH)
        }
        return text
    }
    { now = plain($0) }
    NR > 1 { look((start ? ". " : " ") before " " now " ", length(before) + 1, NR - 1) }
    { start = NR == 1 || before == "" || now ~ /^[|#*-]/; before = now }
    END { look((start ? ". " : " ") before " ", length(before) + 1, NR) }'
}

check() {
    for file in "$@"; do
        case $file in
        include/haft/declare_*.h) ;; # not for users
        include/*.h | include/*.hpp | */include/*.h) comments "$file" | search "$file" phrases ;;
        *) if rewritten "$file"; then comments "$file" | search "$file" idiom; fi ;;
        esac
        case $file in
        examples/*.[ch] | bench/* | tests/support/*) ;;
        *.[ch] | *.hpp) literals "$file" | search "$file" phrases ;;
        *.[1-8]) prose roff "$file" | search "$file" phrases ;;
        *) prose page "$file" | search "$file" phrases ;;
        esac
    done
}

# Takes out what english.txt allows; complains of entries that have no reason, or that nothing needs.
allow() {
    awk -F ' *[|] *' -v list="$1" -v whole="$2" '
    BEGIN {
        while ((getline line < list) > 0) {
            if (line ~ /^#/ || line == "") continue
            if (split(line, part, / *[|] */) != 3 || part[3] == "") {
                print list ": no reason: " line
                continue
            }
            file[++n] = part[1]; phrase[n] = tolower(part[2])
        }
    }
    {
        for (i = 1; i <= n; i++)
            if (index($0, file[i] ":") == 1 && index($0, phrase[i])) { used[i] = 1; next }
        print
    }
    END { for (i = 1; whole && i <= n; i++) if (!used[i]) print list ": not needed: " file[i] " | " phrase[i] }'
}

files() {
    for place in $1; do
        if [ -d "$place" ]; then
            find "$place" -name '*.md' -o -name '*.[ch]' -o -name '*.hpp' -o -name '*.[1-8]'
        else
            echo "$place"
        fi
    done | sort -u
}

# First that the check finds what it should, in the lines where it should, and nothing else.
cat >"$work/sample.md" <<'END'
# A page

What does not fit is refused, and the port is no port.
A list that is
no list. There is no limit, and it is no
longer needed.
`whoever` is code; whoever reads this is not.

```text
the log level is so grave
```

Write at least so grave. It counts when it starts, too.
END
cat >"$work/sample.c" <<'END'
/* whoever reads a comment */
static const char text[] = "the server is told "
                           "by " "whoever \"asks\"";
END
mkdir "$work/include"
cat >"$work/include/sample.h" <<'END'
/* Told to
 * whoever asks: `whoever`.
 *
 *     whoever(code);
 */
int whoever; /* the port is no port */
END
cat >"$work/internal.c" <<'END'
/* The same of a list: it is
 * no list. `somebody` may. */
int list; /* stands in line; it stands for itself */
END
printf '.SH NAME\nlisten off this machine, too\n' >"$work/sample.1"
wrong=$(check "$work/sample.md" "$work/sample.c" "$work/include/sample.h" "$work/internal.c" "$work/sample.1" | sed 's|.*/||; s/: write.*//; s/"\. what[^"]*"/"what"/')
expected='sample.md:3: "is no port"
sample.md:3: "what"
sample.md:4: "is no list"
sample.md:7: "whoever"
sample.md:13: "so grave"
sample.md:13: "at least so"
sample.md:13: "counts when"
sample.md:13: ", too."
sample.c:2: "is told"
sample.c:3: "whoever"
sample.h:2: "whoever"
sample.h:6: "is no port"
internal.c:1: "the same of"
internal.c:1: "is no list"
internal.c:3: "stands in"
internal.c:3: "in line;"
sample.1:2: ", too"
sample.1:2: "off this machine"'
if [ "$wrong" != "$expected" ]; then
    printf 'the check itself is wrong; it finds\n%s\n' "$wrong"
    exit 1
fi
printf 'sample.md | is no port | quoted\nsample.c | whoever | \nnone.md | anything | unused\n' >"$work/allowed"
wrong=$(printf 'sample.md:3: "is no port"\nsample.c:3: "whoever"\n' | allow "$work/allowed" yes | sed 's|.*/||')
if [ "$wrong" != 'allowed: no reason: sample.c | whoever | 
sample.c:3: "whoever"
allowed: not needed: none.md | anything' ]; then
    printf 'the list of exceptions is read wrong:\n%s\n' "$wrong"
    exit 1
fi

whole=
case ${1:-} in
'') files "$later" >"$work/later"; set -- $(files "$enabled $commented" | grep -vxFf "$work/later"); whole=yes ;;
--all) set -- $(files "$enabled $commented $later") ;;
esac
check "$@" | allow "$here/english.txt" "$whole" >"$work/found"
cat "$work/found"
[ ! -s "$work/found" ]
