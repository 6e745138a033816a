#!/bin/sh
# try.sh OUT SUITE URI - installs the packages in OUT in a fresh Debian SUITE, made from the archive URI, as
# docs/packages.md has it, and there compiles the servers of README.md by one command each and calls their tools.  As root.
set -eu
out=$(cd "$1" && pwd) suite=$2 uri=$3
root=$out/try-$suite
log=$out/try-$suite.log
. tests/package/system.sh

make_system "$suite" "$uri"
mkdir "$root/root/debs"
cp "$out"/*.deb "$root/root/debs"
rm -f "$root"/root/debs/*-dbgsym_*
inside apt-get -qq update
if [ "$suite" = bookworm ]; then
    block docs/packages.md "Debian 12" sh >"$root/root/sources.sh"
    quietly "Debian 13 as a source" inside sh -eu /root/sources.sh
fi
quietly "the packages and a compiler" inside sh -c 'apt-get -qq -y --no-install-recommends install g++ pkg-config /root/debs/*.deb'
# Nothing else came from the next release.
[ "$suite" != bookworm ] || expect "the C library" 'bookworm' inside sh -c '. /etc/os-release; dpkg -s libc6 | grep -q "^Version: 2.36" && echo $VERSION_CODENAME'
use_haft
remove_haft
rm -rf "$root"
say "the packages work on $suite"
