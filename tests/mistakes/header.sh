#!/bin/sh
# header.sh COMPILER WORK - compiles haft.hpp once, for the files in C++ that run.sh tries.
set -eu
compiler=$1 work=$2
. "$(dirname "$0")/warnings.sh"
command -v "$compiler" >/dev/null || { echo "$compiler is not here"; exit 77; }
mkdir -p "$work"
for standard in c++17 c++20; do
    echo '#include <haft.hpp>' >"$work/$compiler.$standard.hpp" # for a gcc that cannot use what it compiled
    "$compiler" -x c++-header -std=$standard $warnings -isystem include include/haft.hpp \
        -o "$work/$compiler.$standard.hpp.gch"
done
