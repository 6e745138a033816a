#!/bin/sh
# A program compiled with what pkg-config says: shared and static, C and C++, each of the libraries.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/program.c tests/install/program.cc examples/adder.cpp "$work"
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
    expect "0 value does not match the schema 6 1"

    echo "== $library, static"
    cc -std=c11 $flags program.c -Wl,--as-needed $(pkg-config --cflags --libs $library-static) -o program
    ! readelf -d program | grep -qE "NEEDED.*(libhaft|libuv|libllhttp)"
    expect "0 value does not match the schema 6 1"

    echo "== $library, C++17"
    c++ -std=c++17 $flags program.cc $(pkg-config --cflags --libs $library) -o program
    expect "0 value does not match the schema"
done

for standard in 17 20; do
    echo "== haft.hpp, C++$standard"
    c++ -std=c++$standard $flags -Wconversion adder.cpp $(pkg-config --cflags --libs haft) -o program
    got=$(LD_LIBRARY_PATH="$libdir" ./program --call add '{"a": 2, "b": 40}')
    [ "$got" = '{"sum":42}' ] || { echo "printed '$got'"; exit 1; }
done
# It is in the headers alone.
if nm -D "$libdir"/libhaft.so | grep ' _Z' || readelf -d "$libdir"/libhaft.so | grep 'NEEDED.*libstdc++'; then
    echo "libhaft needs C++"
    exit 1
fi
