#!/bin/sh
# fresh.sh OUT SUITE URI - what README.md says, command by command, in a clone of this tree on a fresh Debian SUITE made
# from the archive URI: ./dev run and a call, the packages, the servers and their clients.  As root.  OUT is
# where the system is made.  Takes minutes, because it installs and compiles everything.
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd) suite=$2 uri=$3
root=$out/fresh-$suite
log=$out/fresh-$suite.log
. tests/package/system.sh

make_system "$suite" "$uri"
git clone -q --no-hardlinks . "$root/root/haft"

say "./dev run, with nothing installed"
block README.md "" sh >"$root/root/run.sh"
[ "$(wc -l <"$root/root/run.sh")" -eq 2 ] || { echo "README.md does not begin with two commands"; exit 1; }
cp tests/package/demo.sh "$root/root"
expect "a call from another terminal" '"temperature":' inside sh -eu /root/demo.sh

# installs N WHAT - the commands of the section, as root
installs() {
    block README.md Install sh "$1" | sed 's/^sudo //; s/apt install/apt-get -q -y install/' >"$root/root/install.sh"
    quietly "$2" inside sh -eu -c 'cd /root/haft && . /root/install.sh'
}
installs 1 "./dev package, and installing the packages"
use_haft
remove_haft
installs 2 "installing without packages"
compile adder.c adder
adds adder
compile adder.cpp adder-cpp
adds adder-cpp
rm -rf "$root"
say "README.md is true on $suite"
