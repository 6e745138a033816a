#!/bin/sh
# printed.sh HAFT - the manual page and the completions in the tree are what the program prints, and the
# shells that are here can read them.  `printed.sh HAFT --write` makes them so.
set -u
haft=$1 failed=0

# What is printed, where it lies, what prints it.
while read -r file arguments; do
    if [ "${2:-}" = --write ]; then
        $haft $arguments >"$file"
    elif ! $haft $arguments | diff -u "$file" -; then
        echo "$file is not what haft $arguments prints: sh tests/program/printed.sh $haft --write"
        failed=1
    fi
done <<END
apps/haft/haft.1 --manual
apps/haft/completion/haft.bash completion bash
apps/haft/completion/_haft completion zsh
END

bash -n apps/haft/completion/haft.bash || failed=1
! command -v zsh >/dev/null || zsh -n apps/haft/completion/_haft || failed=1

# The words that bash is given for a line.
complete() {
    PATH=$(dirname "$haft"):$PATH bash -c '. apps/haft/completion/haft.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        _haft; echo ${COMPREPLY[*]}' bash "$@"
}

expect() {
    expected=$1
    shift
    got=$(complete "$@")
    [ "$got" = "$expected" ] || { echo "$*: expected $expected, got $got"; failed=1; }
}

expect 'tools' haft to
expect 'resources read' haft r
expect '--json' haft call --js
expect '2026-07-28' haft tools --revision 2026
expect 'text' haft serve --log-format t
expect '--hass-timeout' haft home --hass-t
expect 'bash' haft completion b
expect 'prompts prompt' haft help pro
expect 'revoke' haft keys r
expect '--scopes' haft keys add --sc
exit $failed
