#!/bin/sh
# A CMake project that finds the package, with each of its targets.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/install/program.c examples/adder.cpp "$work"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C CXX)
find_package(haft 0.2 REQUIRED)
add_executable(adder adder.cpp)
target_compile_features(adder PRIVATE cxx_std_17)
target_link_libraries(adder PRIVATE haft::haft-static)
foreach(target haft core haft-static core-static)
    add_executable(use-${target} program.c)
    target_link_libraries(use-${target} PRIVATE haft::${target})
endforeach()
END
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX"
cmake --build "$work/build" -j 2
for target in haft core haft-static core-static; do
    got=$("$work/build/use-$target")
    [ "$got" = "0 value does not match the schema 6 1" ] || { echo "$target printed '$got'"; exit 1; }
done
got=$("$work/build/adder" --call add '{"a": 2, "b": 40}')
[ "$got" = '{"sum":42}' ] || { echo "the adder printed '$got'"; exit 1; }
