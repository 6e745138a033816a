#!/bin/sh
# packages.sh OUT - builds the packages in OUT as ./dev package does, and checks them.
set -eu
for program in dpkg-buildpackage lintian; do
    command -v $program >/dev/null || { echo "there is no $program: ./dev package installs it"; exit 77; }
done
dpkg-checkbuilddeps packaging/debian/control || { echo "./dev package installs them"; exit 77; }
sh packaging/package.sh "$1"
sh tests/package/check.sh "$1"
rm -rf "$1"
