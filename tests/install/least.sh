#!/bin/sh
# least.sh WORK - with everything optional left out it compiles, its own tests pass, and what is installed
# says of itself what it has.
set -eu
work=$1
prefix=$work/least-prefix
rm -rf "$prefix"
# Not optimised: that is quick to build, and what is left out must not be missed by what is never run.
cmake --preset least -B "$work/least" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DHAFT_WERROR=ON -DHAFT_BENCH=OFF -DHAFT_EXAMPLES=ON -DHAFT_TESTS=ON
cmake --build "$work/least" -j 2
ctest --test-dir "$work/least" -j 4 --output-on-failure --no-tests=error
cmake --install "$work/least" --prefix "$prefix"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name haft.pc)")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")

fail() {
    echo "$*"
    exit 1
}

# says COMMAND... - whether it says anything of what was left out
says() {
    "$@" | grep -E 'llhttp|curl|idna|http_' && fail "$* names what was left out"
    return 0
}
says pkg-config --static --libs haft
says pkg-config --variable=parts haft
says readelf -d "$libdir/libhaft.so"
says nm -D --defined-only "$libdir/libhaft.so"
[ ! -e "$prefix/bin/haft" ] || fail "the program is there"

# It can be used as any other, and says that it has no HTTP.
PREFIX=$prefix sh tests/install/cmake.sh
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(haft 0.2 QUIET COMPONENTS http)
if(haft_FOUND)
    message(FATAL_ERROR "the package says that it has HTTP")
endif()
find_package(haft 0.2 REQUIRED)
END
cmake -S "$work" -B "$work/least-user" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
