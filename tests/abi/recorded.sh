#!/bin/sh
# recorded.sh BUILD [--record] - the public interface is what was recorded: of libhaft and its parts the functions and
# types, of the headers some more types, of libhaft-core, which has the same headers, the names.  What was added is no fault.  With --record it is
# recorded anew (./dev abi --record).  HAFT_DEBUG_INFO is the directory of the debugging information of stripped libraries.
set -eu
build=$1 record=${2:-}
here=tests/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ "$(uname -m)" = x86_64 ] || { echo "the interface is recorded as it is on x86_64"; exit 77; }

# What a library shows, without the insides of the types that are not in the public headers.
printf '[suppress_type]\n  source_location_not_regexp = include/haft/\n  drop = yes\n' > "$work/private"
describe() {
    abidw ${HAFT_DEBUG_INFO:+--debug-info-dir "$HAFT_DEBUG_INFO"} --suppressions "$work/private" --drop-undefined-syms --no-show-locs --no-comp-dir-path --no-corpus-path \
        --no-elf-needed --no-parameter-names --no-write-default-sizes --type-id-style hash --out-file "$2" "$1"
}

# Silent if nothing in the first is missing from the second or another there.
compare() {
    abidiff --no-added-syms --no-show-locs "$1" "$2"
}

names() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort
}

${CC:-cc} -std=c11 -g -shared -fPIC -Iinclude -o "$work/headers.so" $here/probe.c
set -- "$build/libhaft.so" "$work/headers.so"
for part in http-client crypto yaml sqlite redis; do # there may be no libcurl, OpenSSL, libyaml, SQLite or hiredis
    [ ! -e "$build/libhaft-$part.so" ] || set -- "$@" "$build/libhaft-$part.so"
done

if [ "$record" = --record ]; then
    for library; do
        describe "$library" "$here/$(basename "$library" .so).abi"
    done
    names "$build/libhaft-core.so" > "$here/libhaft-core.names"
    ls -l "$here"/*.abi "$here"/*.names
    exit
fi

failed=0
for library; do
    name=$(basename "$library" .so)
    describe "$library" "$work/$name.abi"
    compare "$here/$name.abi" "$work/$name.abi" || failed=1
done
names "$build/libhaft-core.so" > "$work/libhaft-core.names"
missing=$(comm -23 "$here/libhaft-core.names" "$work/libhaft-core.names")
[ -z "$missing" ] || { echo "no longer in libhaft-core: $missing"; failed=1; }
if [ $failed = 1 ]; then
    echo "The public interface has changed (VERSIONING.md).  If that is intended: ./dev abi --record"
    exit 1
fi

# It would be noticed: a function that is gone, and one that takes another type; a member that is gone.
id_of() { sed -n "s/.*<typedef-decl name='$1' .* id='\([^']*\)'.*/\1/p" "$here/libhaft.abi" | head -n 1; }
notice() {
    what=$1 name=$2 pattern=$3
    sed "$pattern" "$here/$name.abi" > "$work/changed.abi"
    ! cmp -s "$here/$name.abi" "$work/changed.abi" || { echo "$what: nothing to change"; exit 1; }
    ! compare "$work/changed.abi" "$work/$name.abi" > /dev/null || { echo "$what is not noticed"; exit 1; }
}
notice "a function that is gone" libhaft "s/'haft_add'/'haft_was_here'/"
notice "a function of another type" libhaft "/<function-decl name='haft_text_bytes'/,/<\/function-decl>/{/<return/s/type-id='[^']*'/type-id='$(id_of size_t)'/;}"
notice "a struct of another size" libhaft "s/\(<class-decl name='haft_tool' size-in-bits='\)[0-9]*/\14096/"
notice "an error of another number" headers "s/\(<enumerator name='HAFT_ENOMEM' value='\)[-0-9]*/\1-99/"
