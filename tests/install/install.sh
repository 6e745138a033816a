#!/bin/sh
# install.sh WORK - builds the release as a packager would and installs it under WORK/prefix.
set -eu
work=$1
rm -rf "$work/prefix"
cmake --preset release -B "$work/build" -DHAFT_EXAMPLES=ON -DHAFT_BENCH=OFF -DHAFT_WERROR=ON
cmake --build "$work/build" -j 2
cmake --install "$work/build" --prefix "$work/prefix"

cmake --preset core -B "$work/core" -DHAFT_EXAMPLES=OFF -DHAFT_BENCH=OFF -DHAFT_WERROR=ON
cmake --build "$work/core" -j 2
