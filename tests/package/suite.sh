#!/bin/sh
# suite.sh OUT SUITE URI - every test, ./dev test, in a clone of this tree on a fresh Debian SUITE made from the archive URI.
# As root.  OUT is where the system is made.  Takes the better part of an hour.
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd) suite=$2 uri=$3
root=$out/suite-$suite
log=$out/suite-$suite.log
. tests/package/system.sh

make_system "$suite" "$uri"
git clone -q --no-hardlinks . "$root/root/haft"
say "./dev test; its output is in $log"
inside sh -c 'cd /root/haft && exec ./dev test' </dev/null >>"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
tail -n 1 "$log"
rm -rf "$root"
