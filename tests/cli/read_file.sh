#!/bin/sh
# read_file.sh READ_FILE - examples/read-file.c with its own options: what it reads, and what it refuses to.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root" "$work/root-2"
echo inside > "$work/root/a"
echo outside > "$work/b"
echo beside > "$work/root-2/c"
ln -s ../b "$work/root/link"
printf '{"options": {"root": "%s/root", "max_size": 3}}' "$work" > "$work/config.json"

# What a call prints, with its exit status.
call() { # PATH OPTION...
    path=$1
    shift
    "$program" "$@" --call read-file "{\"path\": \"$path\"}" 2>&1 && status=0 || status=$?
    echo "$status"
}
check() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] || { printf '%s: expected\n%s\nand found\n%s\n' "$1" "$2" "$3"; exit 1; }
}
line='
'
check "without a root" "outside${line}${line}0" "$(call "$work/b")"
check "below the root" "inside${line}${line}0" "$(call a --root "$work/root")"
check "by the variable" "inside${line}${line}0" "$(READ_FILE_ROOT=$work/root call a)"
for path in ../b link "$work/b" ../root-2/c .; do
    case $(call "$path" --root "$work/root") in
    "Error reading file: $path: "*"${line}1") ;;
    *) echo "$path was read"; exit 1 ;;
    esac
done
check "a link out of the root" "Error reading file: link: Permission denied${line}1" "$(call link --root "$work/root")"
check "the file's options" "Error reading file: a: it is larger than --max-size allows${line}1" \
    "$(call a --config "$work/config.json")"
check "the command line over them" "inside${line}${line}0" "$(call a --config "$work/config.json" --max-size 1KiB)"
check "a size that is none" "$program: --max-size: expected a size from 1B to 64MiB, not 0${line}2" "$(call a --max-size 0)"
check "a name that is near" "$program: unknown option --rot; did you mean --root?${line}2" "$(call a --rot x)"
"$program" --help | grep -q '^  --root DIR                read only files below this directory \[READ_FILE_ROOT\]$'
