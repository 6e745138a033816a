#!/bin/sh
# A program compiled with what pkg-config says: shared and static, C and C++, each of the libraries.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/program.c tests/install/program.cc "$work"
cd "$work"
libdir=$(dirname "$(find "$PREFIX" -name haft.pc)")
export PKG_CONFIG_PATH="$libdir"
libdir=$(dirname "$libdir")
flags='-Wall -Wextra -Wpedantic -Werror'

expect() {
    got=$(LD_LIBRARY_PATH="$libdir" ./program)
    [ "$got" = "$1" ] || { echo "printed '$got', expected '$1'"; exit 1; }
}

for library in haft haft-core; do
    echo "== $library, shared"
    cc -std=c11 $flags program.c $(pkg-config --cflags --libs $library) -o program
    readelf -d program | grep -q "NEEDED.*lib$library\.so\."
    expect "0 the value does not fit its schema 6"

    echo "== $library, static"
    cc -std=c11 $flags program.c $(pkg-config --cflags $library) "$libdir/lib$library.a" \
        -Wl,--as-needed $(pkg-config --static --libs $library | sed "s/-l$library //") -o program
    ! readelf -d program | grep -qE "NEEDED.*(libhaft|libuv|libllhttp)"
    expect "0 the value does not fit its schema 6"

    echo "== $library, C++17"
    c++ -std=c++17 $flags program.cc $(pkg-config --cflags --libs $library) -o program
    expect "0 the value does not fit its schema"
done
