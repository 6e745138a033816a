#!/bin/sh
# check.sh OUT - the packages in OUT are all there, contain what they should, and have the recorded interface.
set -eu
out=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failed=0

fail() {
    echo "$*"
    failed=1
}

# Every package of the control file is there, and its files are unpacked into one tree, as installing them would do.
for name in $(sed -n 's/^Package: //p' packaging/debian/control); do
    [ -e "$(echo "$out/$name"_*.deb)" ] || fail "there is no package $name"
done
for file in "$out"/*.deb; do
    dpkg-deb -x "$file" "$root"
done

# contains PACKAGE PATTERN... - files that the package must contain
contains() {
    contents=$(dpkg-deb --fsys-tarfile "$(echo "$out/$1"_*.deb)" | tar -t)
    package=$1
    shift
    for pattern; do
        echo "$contents" | grep -qE "^\./$pattern\$" || fail "$package lacks $pattern"
    done
}
lib='usr/lib/[^/]+-linux-[^/]+'
version=$(sed -n 's/^#define HAFT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/haft/version.h | paste -sd.)
soname=${version%.*}
contains "libhaft$soname" "$lib/libhaft\.so\.$soname" "$lib/libhaft\.so\.$version" 'usr/share/doc/[^/]*/copyright'
contains "libhaft-core$soname" "$lib/libhaft-core\.so\.$soname"
contains "libhaft-http-client$soname" "$lib/libhaft-http-client\.so\.$soname"
contains "libhaft-crypto$soname" "$lib/libhaft-crypto\.so\.$soname"
contains "libhaft-yaml$soname" "$lib/libhaft-yaml\.so\.$soname"
contains "libhaft-sqlite$soname" "$lib/libhaft-sqlite\.so\.$soname"
contains "libhaft-redis$soname" "$lib/libhaft-redis\.so\.$soname"
contains libhaft-dev $(find include -type f | sed 's|^|usr/|') "$lib/libhaft\.a" "$lib/libhaft-core\.a" "$lib/libhaft\.so" \
    "$lib/pkgconfig/haft\.pc" "$lib/pkgconfig/haft-static\.pc" "$lib/cmake/haft/haftConfig\.cmake" \
    usr/share/man/man3/haft_call.h.3.gz usr/share/man/man7/haft.7.gz \
    $(ls docs | sed -n 's|\(.*\)\.md|usr/share/man/man7/haft-\1.7.gz|p') \
    $(nm -D --defined-only "$root"/usr/lib/*/libhaft.so | sed -n 's|.* \(haft_[a-z0-9_]*[a-z0-9]\)$|usr/share/man/man3/\1.3.gz|p')
contains haft usr/bin/haft usr/share/man/man1/haft.1.gz usr/share/bash-completion/completions/haft \
    usr/share/zsh/vendor-completions/_haft "$lib/haft/demo/shop\.so" "$lib/haft/demo/bikes\.so" \
    "$lib/haft/demo/bikes\.json" "$lib/haft/demo/upstreams\.json"
contains haft-doc usr/share/doc/haft/README.md $(find docs examples -type f | sed 's|^|usr/share/doc/haft/|') \
    usr/share/doc/haft/html/index.html usr/share/doc/haft/html/search.js
[ -z "$(find "$root/usr/lib" -maxdepth 1 -name '*haft*')" ] || fail "libraries outside the directory of the architecture"
[ -d "$root/usr/lib/debug/.build-id" ] || fail "there are no debugging symbols"

# The commit went into the tarball, if the tree has one, and from there into the program.
wanted="haft $version"
commit=$(tar -xzOf "$out/haft-$version.tar.gz" "haft-$version/cmake/commit.txt" | sed -n '1s/^\([0-9a-f]\{7\}\).*/\1/p')
if [ -z "$commit" ] && [ -e .git ] && git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    fail "the tarball does not have its commit"
fi
[ -z "$commit" ] || wanted="$wanted (commit $commit)"
got=$("$root/usr/bin/haft" --version)
[ "$got" = "$wanted" ] || fail "haft --version prints '$got', not '$wanted'"

# Without the paths of the machine that built it.
if grep -rlF "$(cd "$out" && pwd)" "$root/usr"; then
    fail "the files above name the directory that they were built in"
fi

library=$(find "$root/usr/lib" -name libhaft.so)
HAFT_DEBUG_INFO=$root/usr/lib/debug sh tests/abi/recorded.sh "$(dirname "$library")" ||
    [ $? -eq 77 ] || fail "the interface is another one"
exit $failed
