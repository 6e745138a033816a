#!/bin/sh
# An installation of the shared libraries only, and one of the static ones only, which go by the same names.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/program.c "$work"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(haft 0.2 REQUIRED)
add_executable(use program.c)
target_link_libraries(use PRIVATE haft::core)
END

# installs SHARED STATIC FILE...
installs() {
    prefix=$work/$1-$2
    cmake -B "$PREFIX/../core" -DHAFT_INSTALL_SHARED="$1" -DHAFT_INSTALL_STATIC="$2" >/dev/null
    cmake --install "$PREFIX/../core" --prefix "$prefix" >/dev/null
    shift 2
    got=$(cd "$prefix" && find . -name 'libhaft*' -o -name '*.pc' -o -name '*Targets.cmake' | sed 's|.*/||' | sort | tr '\n' ' ')
    [ "$got" = "$* " ] || { echo "installed $got, not $*"; exit 1; }
}

try() {
    export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name haft-core.pc)")
    libdir=$(dirname "$PKG_CONFIG_PATH")
    cc "$work/program.c" $(pkg-config --cflags --libs haft-core) -Wl,-rpath,"$libdir" -o "$work/by-pkg-config"
    cmake -S "$work" -B "$prefix/user" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$prefix/user" >/dev/null
    for program in "$work/by-pkg-config" "$prefix/user/use"; do
        [ "$($program)" = "0 value does not match the schema 6 1" ]
        needs=no
        ! readelf -d "$program" | grep -q 'NEEDED.*libhaft-core' || needs=yes
        [ $needs = "$1" ] || { echo "$program needs the shared library: $needs"; exit 1; }
    done
}

version=$(sed -n 's/^#define HAFT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/haft/version.h | tr '\n' . | sed 's/\.$//')
installs ON OFF haft-core.pc haftTargets.cmake libhaft-core.so "libhaft-core.so.${version%.*}" "libhaft-core.so.$version"
try yes
installs OFF ON haft-core-static.pc haft-core.pc haftStaticTargets.cmake libhaft-core.a
try no
